// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/config.hpp>

#include <cstddef>

namespace kohort::kernels::gemm {

/// Calls `body(quad, partial)` for every four sums that the thread holds side by side.
template <class Product, class Body>
KOHORT_FUNCTION void for_each_partial(Product& product, Body const& body) {
  product.for_each_quad([&](int quad, float first, float second, float third, float fourth) {
    body(quad, Partial{{first, second, third, fourth}});
  });
}

/// Stores a thread's four sums `quad` through the epilogue.
template <class Product, class Out>
KOHORT_FUNCTION void store_partial(Result<Out> const& result, Place const& place, int thread,
                                   int quad, Partial const& sum) {
  KOHORT_UNROLL
  for (int pair = 0; pair < 2; ++pair) {
    auto const [row, column] = Product::place_of(thread % 128, 2 * quad + pair);
    result.template store_pair<Product>(place, thread / 128 * 64 + row, column,
                                        sum.values[2 * pair], sum.values[2 * pair + 1]);
  }
}

KOHORT_FUNCTION void add_to(Partial& sum, Partial const& part) {
  KOHORT_UNROLL
  for (int i = 0; i < 4; ++i) sum.values[i] += part.values[i];
}

/// How the teams of a cluster along z finish a tile that they split K of: each sends the sums of
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
    for_each_partial(product, [&](int quad, Partial const& sums) {
      scratch.mine()[quad * width + thread] = sums;
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

  /// The team of a split that sums a quad up: neighbours go to one team.
  static KOHORT_FUNCTION int first_quad(int split, int splits) {
    return (split * Product::quads + splits - 1) / splits;
  }
  static KOHORT_FUNCTION int quads_of(int split, int splits) {
    return first_quad(split + 1, splits) - first_quad(split, splits);
  }
  static KOHORT_FUNCTION int rank_of(Member const& member, int other, int split) {
    return member.cluster_rank() +
           (other - split) * member.cluster_extent(0) * member.cluster_extent(1);
  }

  static KOHORT_FUNCTION void push_to_peers(Member const& member, Scratch<C>& scratch, int split,
                                            int splits) {
    member.arrive_expecting(scratch.partials_came, quads_of(split, splits) * (splits - 1) * width *
                                                       static_cast<int>(sizeof(Partial)));
    Waiter waiter;
    member.template wait<Scope::cluster>(scratch.peers_ready, waiter);
    KOHORT_NO_UNROLL for (int owner = 0; owner < splits; ++owner) {
      if (owner == split) continue;
      int const source = split < owner ? split : split - 1;
      int const quads = quads_of(owner, splits);
      member.push_async(scratch.pushed() + source * quads * width, rank_of(member, owner, split),
                        scratch.mine() + first_quad(owner, splits) * width, quads * width,
                        scratch.partials_came);
    }
  }

  /// My columns: each thread adds up the places of its own fragment, by rank, and stores them.
  static KOHORT_FUNCTION void sum_up(Member const& member, Result<typename C::Out> const& result,
                                     Scratch<C>& scratch, Place const& place, int split,
                                     int splits) {
    int const first_mine = first_quad(split, splits);
    int const quads = quads_of(split, splits);
    int const thread = member.team_rank();
    KOHORT_NO_UNROLL for (int quad = 0; quad < quads; ++quad) {
      Partial sum{{0, 0, 0, 0}};
      for (int rank = 0; rank < splits; ++rank) {
        int const source = rank < split ? rank : rank - 1;
        add_to(sum, rank == split ? scratch.mine()[(first_mine + quad) * width + thread]
                                  : scratch.pushed()[(source * quads + quad) * width + thread]);
      }
      store_partial<Product>(result, place, thread, first_mine + quad, sum);
    }
  }
};

/// Where teams of different clusters, each of which has a part of K, leave their sums in device
/// memory.
template <class Target, class C>
struct PartsLayout {
  static constexpr int width = Scratch<C>::partials_a_group;
  static constexpr int partials = C::rows * C::columns / 4;  ///< of a team's tile and a part

  static KOHORT_FUNCTION long long first(int tile, int teams, int rank, int parts, int part) {
    return ((static_cast<long long>(tile) * teams + rank) * parts + part) * partials;
  }
};

/// Leaves a team's sums. @param tile  of the cluster, counted over the batch
template <class Target, class C, class Product>
KOHORT_FUNCTION void leave_sums(typename PolicyOf<Target, C>::member_type const& member,
                                Arguments<Target, C> const& with, Product& product, int tile,
                                int part) {
  using Layout = PartsLayout<Target, C>;
  Partial* const mine =
      with.sums + member.team_rank() +
      Layout::first(tile, member.cluster_size(), member.cluster_rank(), with.parts, part);
  for_each_partial(product,
                   [&](int quad, Partial const& sums) { mine[quad * Layout::width] = sums; });
}

/// Nobody reads it: it keeps a second team off the SM. The first SMs that fall free would take all
/// that there are, four each, and add up what the whole device could (512 × 512 × 16384, H200:
/// 2 µs longer). More than half of what the SM of such a kernel has: 228 KB, 160 or 64.
template <class C>
struct WholeSm {
  static constexpr std::size_t tiles = sizeof(Scratch<C>);
  std::byte room[(tiles > 160 * 1024 ? 116 : tiles > 64 * 1024 ? 81 : 33) * 1024];
};

/// Adds up what the teams left: a thread for each four neighbours of the result, by part, so that
/// the bits do not depend on who was first. The last team of a tile could do it as well, in one
/// launch; but then few of the SMs add up, and it took 1.5 µs longer (512 × 512 × 16384 in four
/// parts, H200).
template <class Target, class C>
class PartsKernel {
 public:
  static constexpr int team_size = 512;
  using Policy = ClusterPolicy<Target, LaunchBounds<team_size>, TeamScratch<WholeSm<C>>>;
  using Member = typename Policy::member_type;

  /// @param leaves_room  the next launch's teams find free SMs while these add up. Where they do
  ///                     not, they begin after the last of these, so that neighbours read the same
  ///                     rows (Kernel's allow_next(), too)
  PartsKernel(Arguments<Target, C> const& with, ClusterShape cluster, bool leaves_room)
      : leaves_room_(leaves_room),
        order_(with.order),
        tiles_(with.tiles),
        parts_(with.parts),
        rows_(cluster.x),
        columns_(cluster.y),
        sums_(with.sums),
        result_(with.result) {}

  static_assert(PartsLayout<Target, C>::partials % team_size == 0,
                "each thread of each team has four neighbours of the result");
  static constexpr int teams_a_tile = PartsLayout<Target, C>::partials / team_size;  ///< a team's

  KOHORT_FUNCTION void operator()(Member const& member) const {
    using Layout = PartsLayout<Target, C>;
    int const cluster_teams = rows_ * columns_;
    int const team_tile = member.league_rank() / teams_a_tile;
    int const in_tile = member.league_rank() % teams_a_tile * team_size + member.team_rank();
    int const tile = team_tile / cluster_teams;
    int const rank = team_tile % cluster_teams;
    int const batch = tile / tiles_;
    TilePlace const at = order_[tile - batch * tiles_];
    member.wait_for_previous();
    if (leaves_room_) member.allow_next();
    Partial sum{{0, 0, 0, 0}};
    Partial const* const from = sums_ + in_tile;
    KOHORT_NO_UNROLL for (int part = 0; part < parts_; part += parts_at_once) {
      Partial came[parts_at_once];
      KOHORT_UNROLL
      for (int p = 0; p < parts_at_once; ++p)
        came[p] = part + p < parts_
                      ? from[Layout::first(tile, cluster_teams, rank, parts_, part + p)]
                      : Partial{{0, 0, 0, 0}};
      KOHORT_UNROLL
      for (int p = 0; p < parts_at_once; ++p) add_to(sum, came[p]);
    }
    Place const place{(at.row * rows_ + rank % rows_) * C::rows,
                      (at.column * columns_ + rank / rows_) * C::columns, batch};
    store_partial<Product>(result_, place, in_tile % Layout::width, in_tile / Layout::width, sum);
  }

 private:
  using Product = WarpgroupMma<Target, typename C::In, typename C::In, float, C::columns,
                               C::a_major, C::b_major>;
  /// Loads under way together: a round trip to L2 takes longer than to add them.
  static constexpr int parts_at_once = 4;

  bool leaves_room_;
  TilePlace const* order_;
  int tiles_;
  int parts_;
  int rows_;     ///< of a cluster, in teams
  int columns_;  ///< of a cluster, in teams
  Partial const* sums_;
  Result<typename C::Out> result_;
};

}  // namespace kohort::kernels::gemm
