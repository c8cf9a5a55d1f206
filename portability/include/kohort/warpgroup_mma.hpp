// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/call_site.hpp>
#include <kohort/impl/warpgroup_fragments.hpp>
#include <kohort/macros.hpp>
#include <kohort/number_types.hpp>
#include <kohort/tile_map.hpp>

#include <cstdint>
#include <type_traits>

namespace kohort {

/// Which of an operand's dimensions is contiguous in scratch: K, or the other one (M of A, N of B).
enum class MatrixMajor { k, mn };

/// Two neighbours of a row, moved as one.
template <class T>
struct alignas(2 * sizeof(T)) ElementPair {
  T first;
  T second;
};

namespace Impl {

/// Backend seam, static functions over a ThreadHandle<Target> (WarpgroupMma says what each does):
///   Fragments   a type: which values a thread holds, as WarpgroupFragments
///   begin(thread, site)
///   multiply_words<Mma>(thread, values, begins_anew, std::uint32_t const (&a)[16], B const*, site)
///   multiply<Mma>(thread, float_or_int (&values)[Mma::values], A const*, B const*, site)
///   wait<Mma, Pending>(thread, values, site)
///   stores_rows   whether it has: store_rows<Out, FirstColumn>(thread, values, Out* rows), 16-bit
///   Out pack<Out>(float, float) -> std::uint32_t   two neighbours as they lie in memory (16-bit
///   Out)
template <class Target>
struct MatrixOperations;

}  // namespace Impl

/// Products of 64 × N tiles by a warpgroup: 128 threads in a row of a team, from a multiple of 128
/// on. C += A·B, A of 64 × K and B of K × N elements in scratch, C spread over the threads'
/// registers.
///
/// K is what fills 128 bytes: 64 of 16 bits, 128 of 8, 32 of 32. A tile lies as a TileMap with a
/// box of 128 B rows and Swizzle::bytes128 brings it: K-major, `rows` of 128 B; MN-major, for
/// 16-bit types, blocks of 64 along M or N, each of K rows of 128 B. Tiles begin at multiples of
/// 1024 B.
///
/// A and B: bfloat16, float16, tfloat32, float8_e4m3, float8_e5m2 with float accumulation;
/// std::int8_t with std::int32_t. N: 32, 64, 96, 128, 192 or 256. On sm_90a: wgmma.
template <class Target, class A, class B, class Accumulator, int N,
          MatrixMajor AMajor = MatrixMajor::k, MatrixMajor BMajor = MatrixMajor::k>
class WarpgroupMma {
  static_assert(N == 32 || N == 64 || N == 96 || N == 128 || N == 192 || N == 256,
                "a warpgroup's product is 32, 64, 96, 128, 192 or 256 columns wide");
  static_assert(sizeof(A) == sizeof(B), "A and B have elements of one size");
  static_assert((AMajor == MatrixMajor::k && BMajor == MatrixMajor::k) || sizeof(A) == 2,
                "only 16-bit operands may be MN-major: bring others K-major");
  static_assert(std::is_same_v<Accumulator, float> || std::is_same_v<Accumulator, std::int32_t>,
                "products accumulate in float, those of std::int8_t in std::int32_t");

  using Operations = Impl::MatrixOperations<Target>;
  using Fragments = typename Operations::Fragments;

 public:
  using target_type = Target;
  using a_type = A;
  using b_type = B;
  using accumulator_type = Accumulator;
  static constexpr int rows = 64;
  static constexpr int columns = N;
  static constexpr int depth = 128 / static_cast<int>(sizeof(A));  ///< K of a tile
  static constexpr MatrixMajor a_major = AMajor;
  static constexpr MatrixMajor b_major = BMajor;
  static constexpr int threads = 128;
  static constexpr int values = 64 * N / threads;  ///< of a thread

  /// Begins all over with zeros: the next multiply() does not read what was there.
  KOHORT_FUNCTION void clear() { begins_anew_ = true; }

  /// Begins C += A·B; done after a wait. Called by the warpgroup in converged flow. Until then the
  /// tiles stay as they are, and the values untouched.
  template <class Member>
  KOHORT_FUNCTION void multiply(Member const& member, A const* a, B const* b,
                                CallSite site = CallSite::current()) {
    Operations::template multiply<WarpgroupMma>(member.thread_, values_, begins_anew_, a, b, site);
    begins_anew_ = false;
  }

  /// A tile of A in the warpgroup's registers, to be changed on its way: 16 words a thread.
  class RegisterOperand {
   public:
    /// Reads a K-major tile of 64 rows, swizzled as for multiply().
    template <class Member>
    KOHORT_FUNCTION void load(Member const& member, A const* tile) {
      KOHORT_UNROLL
      for (int i = 0; i < 16; ++i) {
        MatrixPlace const place = place_of(member, i);
        auto const offset = static_cast<std::uint32_t>(place.row * 128 + place.column * 4);
        words_[i] = *reinterpret_cast<std::uint32_t const*>(
            reinterpret_cast<char const*>(tile) + swizzled_offset(Swizzle::bytes128, offset));
      }
    }
    /// Calls `body(row, k, element)` for each element that this thread holds; it may be changed.
    template <class Member, class Body>
    KOHORT_FUNCTION void for_each(Member const& member, Body const& body) {
      constexpr int in_word = 4 / static_cast<int>(sizeof(A));
      KOHORT_UNROLL
      for (int i = 0; i < 16; ++i) {
        A elements[in_word];
        __builtin_memcpy(elements, &words_[i], sizeof elements);
        KOHORT_UNROLL
        for (int e = 0; e < in_word; ++e)
          body(place_of(member, i).row, place_of(member, i).column * in_word + e, elements[e]);
        __builtin_memcpy(&words_[i], elements, sizeof elements);
      }
    }

   private:
    friend class WarpgroupMma;
    template <class Member>
    static KOHORT_FUNCTION MatrixPlace place_of(Member const& member, int i) {
      return Fragments::word(member.team_rank() % threads, i);
    }
    std::uint32_t words_[16];
  };

  /// The same with A from registers, which stay as they are until the wait.
  template <class Member>
  KOHORT_FUNCTION void multiply(Member const& member, RegisterOperand const& a, B const* b,
                                CallSite site = CallSite::current()) {
    static_assert(AMajor == MatrixMajor::k, "an operand in registers is K-major");
    Operations::template multiply_words<WarpgroupMma>(member.thread_, values_, begins_anew_,
                                                      a.words_, b, site);
    begins_anew_ = false;
  }

  /// Waits until at most `Pending` multiply() of this warpgroup are under way, the latest ones.
  template <int Pending = 0, class Member>
  KOHORT_FUNCTION void wait(Member const& member, CallSite site = CallSite::current()) {
    static_assert(Pending >= 0, "no fewer than 0 products can be left under way");
    Operations::template wait<WarpgroupMma, Pending>(member.thread_, values_, site);
  }

  /// Calls `body(row, column, first, second)` for each two neighbours in a row that this thread
  /// holds; the values may be changed. Row 0 … 63, column even, 0 … N - 2.
  ///
  /// @tparam FirstColumn, Columns  of these columns alone, multiples of 8
  template <int FirstColumn = 0, int Columns = N, class Member, class Body>
  KOHORT_FUNCTION void for_each_fragment(Member const& member, Body const& body) {
    static_assert(FirstColumn % 8 == 0 && Columns % 8 == 0 && FirstColumn + Columns <= N);
    constexpr int together = Fragments::columns;
    constexpr int first = FirstColumn / together * Fragments::pairs;
    constexpr int end = (FirstColumn + Columns + together - 1) / together * Fragments::pairs;
    constexpr bool is_whole = FirstColumn % together == 0 && Columns % together == 0;
    int const thread = Fragments::rank_for_places(member.team_rank() % threads);
    KOHORT_UNROLL
    for (int pair = first; pair < end; ++pair) {
      MatrixPlace const place = Fragments::pair(thread, pair);
      if (is_whole || (place.column >= FirstColumn && place.column < FirstColumn + Columns))
        body(place.row, place.column, values_[2 * pair], values_[2 * pair + 1]);
    }
  }

  /// Calls `body(quad, first, second, third, fourth)` for every four values that this thread holds
  /// side by side, two pairs of for_each_fragment(). Which they are, place_of() tells; threads of
  /// the same rank in any warpgroup hold the same.
  template <class Body>
  KOHORT_FUNCTION void for_each_quad(Body const& body) {
    KOHORT_UNROLL
    for (int quad = 0; quad < quads; ++quad)
      body(quad, values_[4 * quad], values_[4 * quad + 1], values_[4 * quad + 2],
           values_[4 * quad + 3]);
  }
  static constexpr int quads = values / 4;  ///< of a thread

  /// Row and (even) column of two neighbours that a thread holds.
  /// @param thread  0 … 127, in the warpgroup
  /// @param pair    2 · quad for the first two values of a quad, one more for the others
  static KOHORT_FUNCTION MatrixPlace place_of(int thread, int pair) {
    return Fragments::pair(thread, pair);
  }

  /// Writes the product's columns from `FirstColumn` on, as many as fill 128 B, as `Out` into 64
  /// rows of 128 B in scratch, swizzled by 128 B: what tile_store_async() takes with such a box.
  /// `rows` begins at a multiple of 1024 B. Called by the warpgroup.
  template <class Out, int FirstColumn = 0, class Member>
  KOHORT_FUNCTION void store_rows(Member const& member, Out* rows) {
    constexpr int width = 128 / static_cast<int>(sizeof(Out));
    static_assert(FirstColumn % width == 0 && FirstColumn + width <= N);
    if constexpr (Operations::stores_rows && sizeof(Out) == 2) {
      Operations::template store_rows<Out, FirstColumn>(member.thread_, values_, rows);
    } else {
      for_each_fragment<FirstColumn, width>(member, [&](int row, int column, Accumulator first,
                                                        Accumulator second) {
        auto const offset = static_cast<std::uint32_t>((row * width + column - FirstColumn) *
                                                       static_cast<int>(sizeof(Out)));
        auto* const to = reinterpret_cast<char*>(rows) + swizzled_offset(Swizzle::bytes128, offset);
        *reinterpret_cast<ElementPair<Out>*>(to) = narrowed<Out>(first, second);
      });
    }
  }

  /// Two values as `Out`, rounded to the nearest.
  template <class Out>
  static KOHORT_FUNCTION ElementPair<Out> narrowed(Accumulator first, Accumulator second) {
    if constexpr (sizeof(Out) == 2) {
      std::uint32_t const word = Operations::template pack<Out>(first, second);
      ElementPair<Out> pair;
      __builtin_memcpy(&pair, &word, sizeof pair);
      return pair;
    } else {
      return {Out(first), Out(second)};
    }
  }

 private:
  Accumulator values_[values];
  bool begins_anew_ = true;
};

}  // namespace kohort
