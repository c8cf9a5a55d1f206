// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/result.hpp>
#include <kernels/gemm/tile_order.hpp>

#include <utility>

namespace kohort::kernels::gemm {

/// A kernel of the family: element types, how operands lie, and how large a team's tile is.
template <class In_, MatrixMajor AMajor, MatrixMajor BMajor, int Columns, int Stages,
          int MostSplits = 1>
struct Config {
  using In = In_;
  using Out = OutOf<In>;
  static constexpr MatrixMajor a_major = AMajor;
  static constexpr MatrixMajor b_major = BMajor;
  static constexpr int rows = 128;  ///< of a team's tile
  static constexpr int columns = Columns;
  static constexpr int depth = 128 / static_cast<int>(sizeof(In));  ///< of a stage
  static constexpr int stages = Stages;
  static constexpr int most_splits = MostSplits;
  static constexpr int consumers = 2;  ///< warpgroups, 64 rows each
  static constexpr int threads = 128 * (consumers + 1);
  static constexpr int stage_bytes = (rows + columns) * 128;
  /// Columns of the result that leave together: 128 B.
  static constexpr int chunk = 128 / static_cast<int>(sizeof(Out));
  static constexpr int chunks = columns / chunk;
  static_assert(chunks <= 4, "a warpgroup's result fits its buffers and its share of a stage");
};

/// Four neighbours of a thread's fragment on their way to the team that sums them up.
struct alignas(16) Partial {
  float values[4];
};

/// A team's scratch. Operands as WarpgroupMma wants them.
template <class C>
struct alignas(1024) Scratch {
  typename C::In a[C::stages][C::rows * C::depth];
  typename C::In b[C::stages][C::columns * C::depth];
  typename C::Out out[C::consumers][2][64 * C::chunk];
  PipelineBarriers<C::stages> pipeline;
  TransferBarrier peers_ready;    ///< splits: every peer is done with its stages
  TransferBarrier partials_came;  ///< splits: what the peers pushed

  // After the last step a split's partial sums lie in the stages: mine in A's, by eight columns and
  // thread; those that peers pushed in B's, by peer, by eight columns of mine and thread.
  static constexpr int partials_a_group = 128 * C::consumers;
  static_assert(C::most_splits == 1 || C::columns / 8 * partials_a_group * sizeof(Partial) <=
                                           sizeof(typename C::In[C::stages][C::rows * C::depth]),
                "a split's own sums fit A's stages");
  KOHORT_FUNCTION Partial* mine() { return reinterpret_cast<Partial*>(a); }
  KOHORT_FUNCTION Partial* pushed() { return reinterpret_cast<Partial*>(b); }
};

/// Everything that a launch needs to know. The tensors' dimensions are: contiguous, batch, other.
template <class Target, class C>
struct Arguments {
  TileMap<typename C::In const, 3, Target> a;
  TileMap<typename C::In const, 3, Target> b;
  TileMap<typename C::Out, 3, Target> d;
  TilePlace const* order;  ///< of clusters' tiles
  int tiles;               ///< of clusters, a matrix
  int batch;
  int steps;  ///< along K, of C::depth each
  Result<typename C::Out> result;
};

template <class Target, class C>
using PolicyOf = ClusterPolicy<Target, ClusterScratch<Scratch<C>>, LaunchBounds<C::threads, 1>>;

/// D = epilogue(A·B), a persistent league of clusters. Each team has a tile of 128 × C::columns;
/// teams along x have tiles below each other and share B's, teams along y side by side and share
/// A's, by multicast. Teams along z share a tile and split K between them: they push their partial
/// sums to each other, by columns.
template <class Target, class C>
class Kernel {
 public:
  using Member = typename PolicyOf<Target, C>::member_type;

  explicit Kernel(Arguments<Target, C> const& arguments) : with_(arguments) {}

  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto scratch = member.cluster_scratch();
    int const splits = C::most_splits == 1 ? 1 : member.cluster_extent(2);
    // What the first transfers need is on its way while the barriers are readied.
    if (member.team_rank() == 0) {
      member.prefetch(with_.a);
      member.prefetch(with_.b);
    }
    Place const first = place_of(member, member.cluster_league_rank());
    if constexpr (C::most_splits > 1) {
      if (member.team_rank() == 0 && splits > 1) {
        member.init_barrier(scratch->peers_ready, splits - 1);
        member.init_barrier(scratch->partials_came, 1);
      }
    }
    TilePipeline<C::stages> const pipeline(member, scratch->pipeline);
    member.wait_for_previous();
    member.allow_next();
    pipeline.run(
        member, [&](auto& side) { produce(member, *scratch, side, first); },
        [&](auto& side) { consume(member, *scratch, side, first, splits); });
  }

 private:
  using Product = WarpgroupMma<Target, typename C::In, typename C::In, float, C::columns,
                               C::a_major, C::b_major>;

  KOHORT_FUNCTION int total() const { return with_.tiles * with_.batch; }
  /// Of a tile beyond the last one: any.
  KOHORT_FUNCTION Place place_of(Member const& member, int tile) const {
    if (tile >= total()) tile = 0;
    int const batch = with_.batch == 1 ? 0 : tile / with_.tiles;
    TilePlace const place = with_.order[tile - batch * with_.tiles];
    return {(place.row * member.cluster_extent(0) + member.cluster_index(0)) * C::rows,
            (place.column * member.cluster_extent(1) + member.cluster_index(1)) * C::columns,
            batch};
  }
  /// The steps along K that this team takes: all, or its share of a split.
  KOHORT_FUNCTION int first_step(Member const& member, int split) const {
    if constexpr (C::most_splits == 1) return split == 0 ? 0 : with_.steps;
    return static_cast<int>(static_cast<long long>(with_.steps) * split / member.cluster_extent(2));
  }
  KOHORT_FUNCTION int split_of(Member const& member) const {
    return C::most_splits == 1 ? 0 : member.cluster_index(2);
  }

  template <class Side>
  KOHORT_FUNCTION void produce(Member const& member, Scratch<C>& scratch, Side& side,
                               Place place) const {
    int const first = first_step(member, split_of(member));
    int const end = first_step(member, split_of(member) + 1);
    int const ahead = member.cluster_league_size();
    MulticastGroup const rows = member.multicast_group(ClusterAxis::y);
    MulticastGroup const columns = member.multicast_group(ClusterAxis::x);
    KOHORT_NO_UNROLL for (int tile = member.cluster_league_rank(); tile < total(); tile += ahead) {
      Place next = place;
      if (tile + ahead < total()) next = place_of(member, tile + ahead);
      KOHORT_NO_UNROLL for (int step = first; step < end; ++step) {
        side.fill(C::stage_bytes, [&](int stage, TransferBarrier& barrier) {
          // The larger one first: shared by teams, it is the longer under way.
          load_operand<C::b_major, C::columns>(member, with_.b, place.column, place.batch, step,
                                               scratch.b[stage], barrier, columns);
          load_operand<C::a_major, C::rows>(member, with_.a, place.row, place.batch, step,
                                            scratch.a[stage], barrier, rows);
        });
      }
      place = next;
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

  template <class Side>
  KOHORT_FUNCTION void consume(Member const& member, Scratch<C>& scratch, Side& side, Place place,
                               int splits) const {
    int const group = member.team_rank() / 128;
    int const split = split_of(member);
    int const steps = first_step(member, split + 1) - first_step(member, split);
    int const ahead = member.cluster_league_size();
    bool const by_transfer = splits == 1 && with_.result.epilogue.is_plain();
    int held = nothing;
    KOHORT_NO_UNROLL for (int tile = member.cluster_league_rank(); tile < total(); tile += ahead) {
      Place next = place;
      if (tile + ahead < total()) next = place_of(member, tile + ahead);
      place.row += group * 64;
      Product product;
      held = multiply(member, scratch, side, product, group, steps, held);
      meet_all(member);  // nobody reads the stage any more, nor a store the buffers
      if (by_transfer) {
        store(member, scratch, product, place, group, held);
      } else if (C::most_splits > 1 && splits > 1) {
        finish_split(member, scratch, product, place, split, splits);
      } else {
        Finisher<Member, Product, typename C::Out>::finish(
            member, reinterpret_cast<std::byte*>(scratch.out[group]), product, with_.result, place,
            group);
      }
      place = next;
    }
    release_held(member, side, held);
    if (by_transfer && member.team_rank() % 128 == 0) member.wait_stores();
  }

  static constexpr int nothing = -1;

  /// Hands back a stage that the last stores may still read.
  template <class Side>
  KOHORT_FUNCTION void release_held(Member const& member, Side& side, int held) const {
    if (member.team_rank() % 128 == 0) member.wait_stores_read();
    if (member.team_rank() % 128 < member.subgroup_size()) member.subgroup_barrier();
    side.release(held);
  }

  /// @return the last stage, which is not handed back yet
  template <class Side>
  KOHORT_FUNCTION int multiply(Member const& member, Scratch<C>& scratch, Side& side,
                               Product& product, int group, int steps, int held) const {
    product.clear();
    int stage = 0;
    KOHORT_NO_UNROLL for (int step = 0; step < steps; ++step) {
      stage = side.wait();
      product.multiply(member, scratch.a[stage] + group * 64 * C::depth, scratch.b[stage]);
      if (step == 0 && held != nothing) release_held(member, side, held);
      // At once, so that the most stages are under way; the other warpgroup's product goes on.
      product.template wait<0>(member);
      if (step + 1 < steps) side.release(stage);
    }
    return stage;
  }

  /// The warpgroup's 64 rows of the tile, by transfers from scratch.
  KOHORT_FUNCTION void store(Member const& member, Scratch<C>& scratch, Product& product,
                             Place const& place, int group, int stage) const {
    auto const all = std::make_integer_sequence<int, C::chunks>();
    lay_out_chunks(member, scratch, product, group, stage, all);
    member.fence_before_transfer();
    meet(member, group);
    if (member.team_rank() % 128 == 0) store_chunks(member, scratch, place, group, stage, all);
  }

  /// Where 64 rows of 128 B lie until they are stored: in the warpgroup's two buffers, then in its
  /// share of the tile's last stage.
  static KOHORT_FUNCTION std::byte* buffer(Scratch<C>& scratch, int chunk, int group, int stage) {
    constexpr int bytes = 64 * 128;
    if (chunk < 2) return reinterpret_cast<std::byte*>(scratch.out[group][chunk]);
    auto* const share =
        reinterpret_cast<std::byte*>(group == 0 ? scratch.a[stage] : scratch.b[stage]);
    return share + (chunk - 2) * bytes;
  }

  template <int... Chunks>
  KOHORT_FUNCTION void lay_out_chunks(Member const& member, Scratch<C>& scratch, Product& product,
                                      int group, int stage,
                                      std::integer_sequence<int, Chunks...>) const {
    using Out = typename C::Out;
    (product.template store_rows<Out, Chunks * C::chunk>(
         member, reinterpret_cast<Out*>(buffer(scratch, Chunks, group, stage))),
     ...);
  }
  template <int... Chunks>
  KOHORT_FUNCTION void store_chunks(Member const& member, Scratch<C>& scratch, Place const& place,
                                    int group, int stage,
                                    std::integer_sequence<int, Chunks...>) const {
    (member.tile_store_async(
         with_.d, {place.column + Chunks * C::chunk, place.batch, place.row},
         reinterpret_cast<typename C::Out const*>(buffer(scratch, Chunks, group, stage))),
     ...);
  }

  /// The threads of all that consume meet.
  KOHORT_FUNCTION void meet_all(Member const& member) const {
    member.named_barrier(1 + C::consumers, 128 * C::consumers / member.subgroup_size());
  }

  // Splits --------------------------------------------------------------------------------------

  /// The team of a split that sums eight columns up: neighbours go to one team.
  static KOHORT_FUNCTION int owner_of(int eight, int splits) {
    return eight * splits / (C::columns / 8);
  }
  /// The first eight columns of a team.
  static KOHORT_FUNCTION int first_eight(int split, int splits) {
    return (split * (C::columns / 8) + splits - 1) / splits;
  }
  static KOHORT_FUNCTION int eights_of(int split, int splits) {
    return first_eight(split + 1, splits) - first_eight(split, splits);
  }

  /// Sends the columns of others to them, adds what they send to mine, and stores those. The sums
  /// travel in one piece a peer: a barrier takes each piece's bytes one by one.
  KOHORT_FUNCTION void finish_split(Member const& member, Scratch<C>& scratch, Product& product,
                                    Place const& place, int split, int splits) const {
    int const thread = member.team_rank();
    if (thread < splits && thread != split)
      member.arrive(scratch.peers_ready, rank_of(member, thread, split));
    lay_out_sums(member, scratch, product);
    member.fence_before_transfer();
    meet_all(member);
    if (thread == 0) push_to_peers(member, scratch, split, splits);
    Waiter waiter;
    member.wait(scratch.partials_came, waiter);
    sum_up(member, scratch, place, split, splits);
  }

  KOHORT_FUNCTION int rank_of(Member const& member, int other, int split) const {
    return member.cluster_rank() +
           (other - split) * member.cluster_extent(0) * member.cluster_extent(1);
  }

  KOHORT_FUNCTION void lay_out_sums(Member const& member, Scratch<C>& scratch,
                                    Product& product) const {
    Partial held;
    product.for_each_fragment(member, [&](int row, int column, float first, float second) {
      int const half = row % 16 / 8;
      held.values[half * 2] = first;
      held.values[half * 2 + 1] = second;
      if (half == 1)
        scratch.mine()[column / 8 * Scratch<C>::partials_a_group + member.team_rank()] = held;
    });
  }

  KOHORT_FUNCTION void push_to_peers(Member const& member, Scratch<C>& scratch, int split,
                                     int splits) const {
    constexpr int width = Scratch<C>::partials_a_group;
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
  KOHORT_FUNCTION void sum_up(Member const& member, Scratch<C>& scratch, Place const& place,
                              int split, int splits) const {
    constexpr int width = Scratch<C>::partials_a_group;
    int const first_mine = first_eight(split, splits);
    int const eights = eights_of(split, splits);
    int const thread = member.team_rank();
    int const row = thread % 128 / 32 * 16 + thread % 32 / 4;
    KOHORT_NO_UNROLL for (int eight = 0; eight < eights; ++eight) {
      Partial const mine = scratch.mine()[(first_mine + eight) * width + thread];
      Partial sum{{0, 0, 0, 0}};
      for (int rank = 0; rank < splits; ++rank) {
        int const source = rank < split ? rank : rank - 1;
        Partial const part =
            rank == split ? mine : scratch.pushed()[(source * eights + eight) * width + thread];
        KOHORT_UNROLL
        for (int i = 0; i < 4; ++i) sum.values[i] += part.values[i];
      }
      int const column = (first_mine + eight) * 8 + thread % 4 * 2;
      with_.result.template store_pair<Product>(place, row, column, sum.values[0], sum.values[1]);
      with_.result.template store_pair<Product>(place, row + 8, column, sum.values[2],
                                                sum.values[3]);
    }
  }

  Arguments<Target, C> with_;
};

}  // namespace kohort::kernels::gemm
