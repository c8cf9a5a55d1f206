// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/split.hpp>

#include <utility>

namespace kohort::kernels::gemm {

/// D = epilogue(A·B), a persistent league of clusters. Each team has a tile of C::rows ×
/// C::columns; teams along x have tiles below each other and share B's, teams along y side by side
/// and share A's, by multicast. K may be cut into pieces along the league's z: teams along z of a
/// cluster split a tile (SplitFinisher), clusters along z take a part each (PartsKernel adds them
/// up).
template <class Target, class C>
class Kernel {
 public:
  using Member = typename PolicyOf<Target, C>::member_type;

  explicit Kernel(Arguments<Target, C> const& arguments) : with_(arguments) {}

  Arguments<Target, C> const& arguments() const { return with_; }

  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto scratch = member.cluster_scratch();
    int const splits = C::most_splits == 1 ? 1 : member.cluster_extent(2);
    int const first = first_tile(member);
    // What the first transfers need is on its way while the barriers are readied.
    TilePlace const first_place = order_of(first);
    if (member.team_rank() < member.subgroup_size() && member.is_elected()) {
      member.prefetch(with_.a);
      member.prefetch(with_.b);
      if (splits > 1) {
        member.init_barrier(scratch->peers_ready, splits - 1);
        member.init_barrier(scratch->partials_came, 1);
      }
    }
    TilePipeline<C::stages> const pipeline(member, scratch->pipeline);
    member.wait_for_previous();
    Work const work = work_at(member, first, first_place);
    pipeline.run(
        member, [&](auto& side) { produce(member, *scratch, side, work); },
        [&](auto& side) { consume(member, *scratch, side, work, splits); });
  }

 private:
  using Product = WarpgroupMma<Target, typename C::In, typename C::In, float, C::columns,
                               C::a_major, C::b_major>;

  /// A cluster's tile, counted over the batch, and where this team's part of it lies.
  struct Work {
    int tile;
    Place place;
  };

  KOHORT_FUNCTION int total() const { return with_.tiles * with_.batch; }
  /// The piece of K that this team takes of each of its tiles.
  KOHORT_FUNCTION int piece(Member const& member) const {
    return with_.pieces.count == 1 ? 0 : member.league_index(2);
  }
  KOHORT_FUNCTION int part(Member const& member) const {
    return with_.parts == 1 ? 0 : member.league_index(2);
  }
  KOHORT_FUNCTION int first_tile(Member const& member) const {
    return member.cluster_league_rank() - part(member) * with_.clusters;
  }
  KOHORT_FUNCTION int batch_of(int tile) const { return with_.batch == 1 ? 0 : tile / with_.tiles; }
  /// After the last one: any. The load is long under way, so it begins a tile ahead and what was
  /// loaded is looked at only when the tile's turn comes.
  KOHORT_FUNCTION TilePlace order_of(int tile) const {
    if (tile >= total()) tile = 0;
    return with_.order[tile - batch_of(tile) * with_.tiles];
  }
  KOHORT_FUNCTION Work work_at(Member const& member, int tile, TilePlace const& place) const {
    return {tile,
            {(place.row * member.cluster_extent(0) + member.cluster_index(0)) * C::rows,
             (place.column * member.cluster_extent(1) + member.cluster_index(1)) * C::columns,
             batch_of(tile)}};
  }

  template <class Side>
  KOHORT_FUNCTION void produce(Member const& member, Scratch<C>& scratch, Side& side,
                               Work work) const {
    int const first = with_.pieces.first_step(piece(member));
    int const end = first + with_.pieces.steps_of(piece(member));
    MulticastGroup const rows = member.multicast_group(ClusterAxis::y);
    MulticastGroup const columns = member.multicast_group(ClusterAxis::x);
    while (work.tile < total()) {
      TilePlace const next = order_of(work.tile + with_.clusters);
      Place const& place = work.place;
      KOHORT_NO_UNROLL for (int step = first; step < end; ++step) {
        side.fill(C::stage_bytes, [&](int stage, TransferBarrier& barrier) {
          // The larger one first: shared by teams, it is the longer under way.
          load_operand<C::b_major, C::columns>(member, with_.b, place.column, place.batch, step,
                                               scratch.b[stage], barrier, columns);
          load_operand<C::a_major, C::rows>(member, with_.a, place.row, place.batch, step,
                                            scratch.a[stage], barrier, rows);
        });
      }
      work = work_at(member, work.tile + with_.clusters, next);
    }
  }

  /// `Extent` rows of A or columns of B, C::depth deep, for all teams of `group`.
  template <MatrixMajor Major, int Extent, class Map>
  KOHORT_FUNCTION void load_operand(Member const& member, Map const& map, int first, int batch,
                                    int step, typename C::In* to, TransferBarrier& barrier,
                                    MulticastGroup const& group) const {
    int const k = step * C::depth;
    if constexpr (Major == MatrixMajor::k) {
      member.tile_load_multicast(map, {k, batch, first}, to, barrier, group);
    } else {
      KOHORT_UNROLL
      for (int block = 0; block < Extent / 64; ++block)
        member.tile_load_multicast(map, {first + block * 64, batch, k}, to + block * 64 * C::depth,
                                   barrier, group);
    }
  }

  /// The warpgroup among those that consume. A constant where it is alone: the matrix unit takes
  /// places from uniform registers, and what depends on the thread has to be brought there.
  static KOHORT_FUNCTION int group_of(Member const& member) {
    return C::consumers == 1 ? 0 : member.warpgroup_rank();
  }

  template <class Side>
  KOHORT_FUNCTION void consume(Member const& member, Scratch<C>& scratch, Side& side, Work work,
                               int splits) const {
    int const group = group_of(member);
    int const steps = with_.pieces.steps_of(piece(member));
    int kept = nothing;
    while (work.tile < total()) {
      TilePlace const next = order_of(work.tile + with_.clusters);
      Product product;
      kept = multiply(member, scratch, side, product, group, steps, kept);
      if (with_.parts > 1) {
        leave_sums(member, with_, product, work.tile, part(member));
        if (kept != nothing) side.release(kept);
        kept = nothing;
      } else {
        finish(member, scratch, product, work.place, splits, kept);
      }
      work = work_at(member, work.tile + with_.clusters, next);
    }
    hand_back(member, side, kept);
    // Not before: the next kernel's teams would take the SMs in the order in which they fall free,
    // and neighbours no longer read the same rows (H200, 1024^3: 5.3 µs a launch, not 5.0).
    member.allow_next();
  }

  static constexpr int nothing = -1;

  /// The warpgroup's thread that begins its stores and waits for them.
  static KOHORT_FUNCTION bool is_storer(Member const& member) {
    return member.team_rank() % 128 == 0;
  }

  /// Hands back the stage that the last stores may still read.
  template <class Side>
  KOHORT_FUNCTION void hand_back(Member const& member, Side& side, int kept) const {
    if (is_storer(member)) member.wait_stores_read();
    if (member.team_rank() % 128 < member.subgroup_size()) member.subgroup_barrier();
    if (kept != nothing) side.release(kept);
  }

  /// @param kept  the stage in which the result before lies, or nothing
  /// @return the stage that is kept for this one's, or nothing
  template <class Side>
  KOHORT_FUNCTION int multiply(Member const& member, Scratch<C>& scratch, Side& side,
                               Product& product, int group, int steps, int kept) const {
    // The stores take a step's time or more: until then the matrix unit has two products to do.
    int const handed_back = steps > 1 ? 1 : 0;
    product.clear();
    int stage = nothing;
    int before = nothing;
    KOHORT_NO_UNROLL for (int step = 0; step < steps; ++step) {
      before = stage;
      stage = side.wait();
      product.multiply(member, scratch.a[stage] + group * 64 * C::depth, scratch.b[stage]);
      if (C::keeps_stage && step == handed_back && kept != nothing) hand_back(member, side, kept);
      product.template wait<C::products_under_way>(member);
      int const done = step - C::products_under_way;
      if (done >= 0 && done < steps - (C::keeps_stage ? 1 : 0))
        side.release(C::products_under_way == 0 ? stage : before);
    }
    product.template wait<0>(member);
    if (C::keeps_stage) return stage;
    if (C::products_under_way > 0) side.release(stage);
    return nothing;
  }

  /// From the product to the result.
  KOHORT_FUNCTION void finish(Member const& member, Scratch<C>& scratch, Product& product,
                              Place place, int splits, int kept) const {
    if (C::most_splits > 1 && splits > 1) {
      SplitFinisher<Target, C, Product>::finish(member, with_, scratch, product, place,
                                                piece(member), splits);
      return;
    }
    int const group = group_of(member);
    place.row += group * 64;
    if (!C::keeps_stage && is_storer(member)) member.wait_stores_read();
    meet(member, group);  // no store reads the warpgroup's buffers any more
    if (with_.result.epilogue.is_plain()) {
      store(member, scratch, product, place, group, kept);
    } else {
      Finisher<Member, Product, typename C::Out>::finish(
          member, reinterpret_cast<std::byte*>(scratch.out[group]), product, with_.result, place,
          group);
    }
  }

  /// The warpgroup's 64 rows of the tile, by transfers from scratch.
  KOHORT_FUNCTION void store(Member const& member, Scratch<C>& scratch, Product& product,
                             Place const& place, int group, int kept) const {
    constexpr int own = C::chunks < 2 ? C::chunks : 2;
    lay_out_chunks<0>(member, scratch, product, group, kept,
                      std::make_integer_sequence<int, own>());
    if constexpr (C::keeps_stage) {
      meet_all<C>(member);  // nobody reads the stage any more
      lay_out_chunks<own>(member, scratch, product, group, kept,
                          std::make_integer_sequence<int, C::chunks - own>());
    }
    member.fence_before_transfer();
    meet(member, group);
    if (is_storer(member))
      store_chunks(member, scratch, place, group, kept,
                   std::make_integer_sequence<int, C::chunks>());
  }

  /// Where 64 rows of 128 B lie until they are stored: in the warpgroup's two buffers, then in the
  /// stage that is kept.
  static KOHORT_FUNCTION std::byte* buffer(Scratch<C>& scratch, int chunk, int group, int kept) {
    constexpr int bytes = 64 * 128;
    if (chunk < 2) return reinterpret_cast<std::byte*>(scratch.out[group][chunk]);
    int const place = group * 2 + chunk - 2;
    return place < C::consumers
               ? reinterpret_cast<std::byte*>(scratch.a[kept]) + place * bytes
               : reinterpret_cast<std::byte*>(scratch.b[kept]) + (place - C::consumers) * bytes;
  }

  template <int Chunk>
  KOHORT_FUNCTION void lay_out(Member const& member, Product& product, std::byte* to) const {
    using Out = typename C::Out;
    product.template store_rows<Out, Chunk * C::chunk>(member, reinterpret_cast<Out*>(to));
  }
  template <int Chunk>
  KOHORT_FUNCTION void store_chunk(Member const& member, Place const& place,
                                   std::byte const* from) const {
    member.tile_store_async(with_.d, {place.column + Chunk * C::chunk, place.batch, place.row},
                            reinterpret_cast<typename C::Out const*>(from));
  }

  template <int First, int... Chunks>
  KOHORT_FUNCTION void lay_out_chunks(Member const& member, Scratch<C>& scratch, Product& product,
                                      int group, int kept,
                                      std::integer_sequence<int, Chunks...>) const {
    (lay_out<First + Chunks>(member, product, buffer(scratch, First + Chunks, group, kept)), ...);
  }
  template <int... Chunks>
  KOHORT_FUNCTION void store_chunks(Member const& member, Scratch<C>& scratch, Place const& place,
                                    int group, int kept,
                                    std::integer_sequence<int, Chunks...>) const {
    (store_chunk<Chunks>(member, place, buffer(scratch, Chunks, group, kept)), ...);
  }

  Arguments<Target, C> with_;
};

}  // namespace kohort::kernels::gemm
