// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/epilogue.hpp>
#include <kohort/macros.hpp>

#include <utility>

namespace kohort::kernels::gemm {

/// Where a tile, or a warpgroup's part of one, lies: its first row and column, and the matrix.
struct Place {
  int row;
  int column;
  int batch;
};

/// The result in device memory, written two neighbours at a time by ordinary stores.
template <class Out>
struct Result {
  Out* data;
  long long m;
  long long n;
  long long stride;        ///< from row to row
  long long batch_stride;  ///< from matrix to matrix
  bool pairs_are_aligned;  ///< two neighbours from an even column on are one word
  Epilogue<Out> epilogue;

  /// `column` is even, as the place's is. `Product` converts.
  template <class Product>
  KOHORT_FUNCTION void store_pair(Place const& place, int row, int column, float first,
                                  float second) const {
    long long const i = place.row + row;
    long long const j = place.column + column;
    if (i >= m || j >= n) return;
    long long const at = place.batch * batch_stride + i * stride + j;
    bool const both = j + 1 < n;
    if (!epilogue.is_plain()) {
      first = finished(epilogue, first, i, j, at);
      if (both) second = finished(epilogue, second, i, j + 1, at + 1);
    }
    ElementPair<Out> const pair = Product::template narrowed<Out>(first, second);
    if (both && pairs_are_aligned) {
      *reinterpret_cast<ElementPair<Out>*>(data + at) = pair;
    } else {
      data[at] = pair.first;
      if (both) data[at + 1] = pair.second;
    }
  }
};

/// The threads of the team's consuming warpgroup `group` meet.
template <class Member>
KOHORT_FUNCTION void meet(Member const& member, int group) {
  member.named_barrier(1 + group, 128 / member.subgroup_size());
}

/// Stores a warpgroup's product through the epilogue. That works on sums in scratch, not in
/// registers: those are full, and neighbours in a row are then neighbours in memory.
template <class Member, class Product, class Out>
class Finisher {
 public:
  /// Bytes of each of the two buffers: 64 rows of 128 B.
  static constexpr int buffer_bytes = 64 * 128;

  /// Called by the warpgroup; `buffers` are its own.
  static KOHORT_FUNCTION void finish(Member const& member, std::byte* buffers, Product& product,
                                     Result<Out> const& result, Place const& place, int group) {
    finish_chunks(member, buffers, product, result, place, group,
                  std::make_integer_sequence<int, Product::columns / chunk>());
  }

 private:
  static constexpr int chunk = 32;  ///< columns: 128 B of sums

  template <int... Chunks>
  static KOHORT_FUNCTION void finish_chunks(Member const& member, std::byte* buffers,
                                            Product& product, Result<Out> const& result,
                                            Place const& place, int group,
                                            std::integer_sequence<int, Chunks...>) {
    (finish_chunk<Chunks>(member, buffers + Chunks % 2 * buffer_bytes, product, result, place,
                          group),
     ...);
  }

  /// Two buffers in turn: who fills one again has met everybody who read it.
  template <int Chunk>
  static KOHORT_FUNCTION void finish_chunk(Member const& member, std::byte* buffer,
                                           Product& product, Result<Out> const& result,
                                           Place const& place, int group) {
    auto* const sums = reinterpret_cast<ElementPair<float>*>(buffer);
    product.template for_each_fragment<Chunk * chunk, chunk>(
        member, [&](int row, int column, float first, float second) {
          sums[pair_at(row, column - Chunk * chunk)] = {first, second};
        });
    meet(member, group);
    constexpr int pairs = 64 * chunk / 2;
    KOHORT_NO_UNROLL for (int pair = member.team_rank() % 128; pair < pairs; pair += 128) {
      int const row = pair / (chunk / 2);
      int const column = pair % (chunk / 2) * 2;
      ElementPair<float> const two = sums[pair_at(row, column)];
      result.template store_pair<Product>(place, row, Chunk * chunk + column, two.first,
                                          two.second);
    }
  }

  /// Where two sums lie: pairs of a row, in an order without bank conflicts.
  static KOHORT_FUNCTION std::uint32_t pair_at(int row, int column) {
    auto const offset = static_cast<std::uint32_t>((row * chunk + column) * 4);
    return swizzled_offset(Swizzle::bytes128, offset) / 8;
  }
};

}  // namespace kohort::kernels::gemm
