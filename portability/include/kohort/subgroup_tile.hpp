// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/arrive_token.hpp>
#include <kohort/operations.hpp>

#include <cstdint>
#include <type_traits>

namespace kohort {

/// `Lanes` neighbouring lanes of a subgroup that exchange values in registers.
///
/// Every operation is called by all lanes of the tile in converged flow, and every lane must
/// exist: with a team whose size is not a multiple of `Lanes` the last tile can't be used (the
/// simulator reports `shuffle-source`; team_reduce() and kin take care of it themselves). The
/// masks that the hardware wants are inside. Values are trivially copyable.
template <class Target, int Lanes>
class SubgroupTile {
  static_assert(Lanes >= 2 && Lanes <= 64 && (Lanes & (Lanes - 1)) == 0,
                "a subgroup tile has 2, 4, 8, 16, 32 or 64 lanes");

 public:
  explicit KOHORT_FUNCTION SubgroupTile(Impl::ThreadHandle<Target> const& thread)
      : thread_(thread) {
    thread_.template require_tile<Lanes>();
  }

  static constexpr KOHORT_FUNCTION int size() { return Lanes; }
  /// My lane in the tile.
  KOHORT_FUNCTION int thread_rank() const { return thread_.team_rank() % Lanes; }
  /// My tile in the team, and how many tiles the team has.
  KOHORT_FUNCTION int meta_group_rank() const { return thread_.team_rank() / Lanes; }
  KOHORT_FUNCTION int meta_group_size() const { return (thread_.team_size() + Lanes - 1) / Lanes; }

  /// The value of lane `source`.
  template <class T>
  KOHORT_FUNCTION T shuffle(T const& value, int source, CallSite site = CallSite::current()) const {
    return thread_.template shuffle<Lanes>(value, source, site);
  }
  /// The value of the lane `delta` above; the lane's own where there is none.
  template <class T>
  KOHORT_FUNCTION T shuffle_down(T const& value, int delta,
                                 CallSite site = CallSite::current()) const {
    return thread_.template shuffle_down<Lanes>(value, delta, site);
  }
  /// The value of the lane `delta` below; the lane's own where there is none.
  template <class T>
  KOHORT_FUNCTION T shuffle_up(T const& value, int delta,
                               CallSite site = CallSite::current()) const {
    return thread_.template shuffle_up<Lanes>(value, delta, site);
  }
  /// The value of the lane whose number differs by the bits of `mask`.
  template <class T>
  KOHORT_FUNCTION T shuffle_xor(T const& value, int mask,
                                CallSite site = CallSite::current()) const {
    return thread_.template shuffle_xor<Lanes>(value, mask, site);
  }

  /// Bit i is set when lane i's predicate holds.
  KOHORT_FUNCTION std::uint64_t ballot(bool predicate, CallSite site = CallSite::current()) const {
    return thread_.template ballot<Lanes>(predicate, site);
  }
  KOHORT_FUNCTION bool any(bool predicate, CallSite site = CallSite::current()) const {
    return ballot(predicate, site) != 0;
  }
  KOHORT_FUNCTION bool all(bool predicate, CallSite site = CallSite::current()) const {
    constexpr std::uint64_t every =
        Lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (Lanes % 64)) - 1;
    return ballot(predicate, site) == every;
  }

  /// Waits for the tile's lanes and orders their memory accesses.
  KOHORT_FUNCTION void barrier(CallSite site = CallSite::current()) const {
    thread_.template tile_barrier<Lanes>(site);
  }

  template <class T>
  KOHORT_FUNCTION T broadcast(T const& value, int source = 0,
                              CallSite site = CallSite::current()) const {
    return shuffle(value, source, site);
  }

  /// The combination of all lanes' values, in every lane.
  template <class T, class Operation = Sum>
  KOHORT_FUNCTION T reduce(T value, Operation operation = {},
                           CallSite site = CallSite::current()) const {
    for (int mask = Lanes / 2; mask > 0; mask /= 2) {
      value = operation(value, shuffle_xor(value, mask, site));
    }
    return value;
  }

  /// The combination of the values of lanes 0 … mine.
  template <class T, class Operation = Sum>
  KOHORT_FUNCTION T inclusive_scan(T value, Operation operation = {},
                                   CallSite site = CallSite::current()) const {
    int const rank = thread_rank();
    for (int delta = 1; delta < Lanes; delta *= 2) {
      T const below = shuffle_up(value, delta, site);
      if (rank >= delta) value = operation(below, value);
    }
    return value;
  }

  /// The combination of the values of the lanes below mine; the identity in lane 0.
  template <class T, class Operation = Sum>
  KOHORT_FUNCTION T scan(T value, Operation operation = {},
                         CallSite site = CallSite::current()) const {
    T const below = shuffle_up(inclusive_scan(value, operation, site), 1, site);
    return thread_rank() == 0 ? operation.template identity<T>() : below;
  }

 private:
  Impl::ThreadHandle<Target> thread_;
};

}  // namespace kohort
