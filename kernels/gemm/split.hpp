// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/config.hpp>

#include <utility>

namespace kohort::kernels::gemm {

/// Calls `body(eight, partial)` for every eight columns of the product: the thread's four sums.
template <class Member, class Product, class Body>
KOHORT_FUNCTION void for_each_partial(Member const& member, Product& product, Body const& body) {
  Partial held;
  product.for_each_fragment(member, [&](int row, int column, float first, float second) {
    int const half = row % 16 / 8;
    held.values[half * 2] = first;
    held.values[half * 2 + 1] = second;
    if (half == 1) body(column / 8, held);
  });
}

/// Stores a thread's four sums of the columns `eight * 8` and up, through the epilogue.
template <class Product, class Out>
KOHORT_FUNCTION void store_partial(Result<Out> const& result, Place const& place, int thread,
                                   int eight, Partial const& sum) {
  int const row = thread / 128 * 64 + thread % 128 / 32 * 16 + thread % 32 / 4;
  int const column = eight * 8 + thread % 4 * 2;
  result.template store_pair<Product>(place, row, column, sum.values[0], sum.values[1]);
  result.template store_pair<Product>(place, row + 8, column, sum.values[2], sum.values[3]);
}

KOHORT_FUNCTION void add_to(Partial& sum, Partial const& part) {
  KOHORT_UNROLL
  for (int i = 0; i < 4; ++i) sum.values[i] += part.values[i];
}

/// How the teams of a cluster along z finish a tile that they split K of: each sends the columns of
/// others to them, adds what they send to its own, and stores those. The sums travel in one piece a
/// peer: a barrier takes each piece's bytes one by one.
template <class Target, class C, class Product>
class SplitFinisher {
 public:
  using Member = typename PolicyOf<Target, C>::member_type;

  /// @param place  of the team's tile
  static KOHORT_FUNCTION void finish(Member const& member, Arguments<Target, C> const& with,
                                     Scratch<C>& scratch, Product& product, Place const& place,
                                     int split, int splits) {
    int const thread = member.team_rank();
    meet_all<C>(member);  // nobody reads the stages any more
    if (thread < splits && thread != split)
      member.arrive(scratch.peers_ready, rank_of(member, thread, split));
    for_each_partial(member, product, [&](int eight, Partial const& sums) {
      scratch.mine()[eight * width + thread] = sums;
    });
    member.fence_before_transfer();
    meet_all<C>(member);
    if (thread == 0) push_to_peers(member, scratch, split, splits);
    Waiter waiter;
    member.wait(scratch.partials_came, waiter);
    sum_up(member, with.result, scratch, place, split, splits);
  }

 private:
  static constexpr int width = Scratch<C>::partials_a_group;

  /// The team of a split that sums eight columns up: neighbours go to one team.
  static KOHORT_FUNCTION int first_eight(int split, int splits) {
    return (split * (C::columns / 8) + splits - 1) / splits;
  }
  static KOHORT_FUNCTION int eights_of(int split, int splits) {
    return first_eight(split + 1, splits) - first_eight(split, splits);
  }
  static KOHORT_FUNCTION int rank_of(Member const& member, int other, int split) {
    return member.cluster_rank() +
           (other - split) * member.cluster_extent(0) * member.cluster_extent(1);
  }

  static KOHORT_FUNCTION void push_to_peers(Member const& member, Scratch<C>& scratch, int split,
                                            int splits) {
    member.arrive_expecting(scratch.partials_came, eights_of(split, splits) * (splits - 1) * width *
                                                       static_cast<int>(sizeof(Partial)));
    Waiter waiter;
    member.template wait<Scope::cluster>(scratch.peers_ready, waiter);
    KOHORT_NO_UNROLL for (int owner = 0; owner < splits; ++owner) {
      if (owner == split) continue;
      int const source = split < owner ? split : split - 1;
      int const eights = eights_of(owner, splits);
      member.push_async(scratch.pushed() + source * eights * width, rank_of(member, owner, split),
                        scratch.mine() + first_eight(owner, splits) * width, eights * width,
                        scratch.partials_came);
    }
  }

  /// My columns: each thread adds up the places of its own fragment, by rank, and stores them.
  static KOHORT_FUNCTION void sum_up(Member const& member, Result<typename C::Out> const& result,
                                     Scratch<C>& scratch, Place const& place, int split,
                                     int splits) {
    int const first_mine = first_eight(split, splits);
    int const eights = eights_of(split, splits);
    int const thread = member.team_rank();
    KOHORT_NO_UNROLL for (int eight = 0; eight < eights; ++eight) {
      Partial sum{{0, 0, 0, 0}};
      for (int rank = 0; rank < splits; ++rank) {
        int const source = rank < split ? rank : rank - 1;
        add_to(sum, rank == split ? scratch.mine()[(first_mine + eight) * width + thread]
                                  : scratch.pushed()[(source * eights + eight) * width + thread]);
      }
      store_partial<Product>(result, place, thread, first_mine + eight, sum);
    }
  }
};

/// How teams of different clusters bring a tile together, each of which has a part of K: every team
/// leaves its sums in device memory, and the one that comes last adds all of them up, by part, so
/// that the bits do not depend on who that is. No team waits for another, so none needs to be
/// resident.
template <class Target, class C, class Product>
class PartsGatherer {
 public:
  using Member = typename PolicyOf<Target, C>::member_type;

  /// @param tile  of the cluster, counted over the batch
  /// @return whether this team is the last one: its product is then the sum of all parts
  static KOHORT_FUNCTION bool gather(Member const& member, Arguments<Target, C> const& with,
                                     Scratch<C>& scratch, Product& product, int tile, int part) {
    int const thread = member.team_rank();
    long long const team_tile =
        static_cast<long long>(tile) * member.cluster_size() + member.cluster_rank();
    Partial* const first = with.sums + team_tile * with.parts * partials + thread;
    Partial* const mine = first + static_cast<long long>(part) * partials;
    for_each_partial(member, product,
                     [&](int eight, Partial const& sums) { mine[eight * width] = sums; });
    meet_all<C>(member);
    if (thread == 0)
      scratch.came_before =
          atomic_fetch_add<Scope::device, MemoryOrder::acquire_release>(with.came + team_tile, 1);
    meet_all<C>(member);
    if (scratch.came_before != with.parts - 1) return false;
    if (thread == 0) atomic_store<Scope::device, MemoryOrder::relaxed>(with.came + team_tile, 0);
    add_all(member, product, first, with.parts,
            std::make_integer_sequence<int, C::columns / columns_at_once>());
    return true;
  }

 private:
  static constexpr int width = Scratch<C>::partials_a_group;
  static constexpr int partials = C::columns / 8 * width;  ///< of a team's tile and a part
  // Loads that are under way together: a round trip to L2 takes longer than to add them up, and
  // beside the sums there are so many registers.
  static constexpr int columns_at_once = 64;
  static constexpr int parts_at_once = C::columns > 128 ? 2 : 4;
  using Batch = Partial[columns_at_once / 8];

  template <int... Batches>
  static KOHORT_FUNCTION void add_all(Member const& member, Product& product, Partial const* first,
                                      int parts, std::integer_sequence<int, Batches...>) {
    (add_columns<Batches * columns_at_once>(member, product, first, parts), ...);
  }

  template <int FirstColumn>
  static KOHORT_FUNCTION void add_columns(Member const& member, Product& product,
                                          Partial const* first, int parts) {
    auto const for_each = [&](auto const& body) {
      product.template for_each_fragment<FirstColumn, columns_at_once>(member, body);
    };
    for_each([](int, int, float& one, float& two) { one = two = 0; });
    KOHORT_NO_UNROLL for (int part = 0; part < parts; part += parts_at_once) {
      Batch came[parts_at_once];
      KOHORT_UNROLL
      for (int p = 0; p < parts_at_once; ++p)
        load(came[p], first + static_cast<long long>(part + p) * partials + FirstColumn / 8 * width,
             part + p < parts);
      KOHORT_UNROLL
      for (int p = 0; p < parts_at_once; ++p)
        for_each([&](int row, int column, float& one, float& two) {
          Partial const& sums = came[p][(column - FirstColumn) / 8];
          int const half = row % 16 / 8;
          one += sums.values[half * 2];
          two += sums.values[half * 2 + 1];
        });
    }
  }
  static KOHORT_FUNCTION void load(Batch& to, Partial const* from, bool exists) {
    KOHORT_UNROLL
    for (int e = 0; e < columns_at_once / 8; ++e)
      to[e] = exists ? from[e * width] : Partial{{0, 0, 0, 0}};
  }
};

}  // namespace kohort::kernels::gemm
