// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/common/unroll.hpp>
#include <kernels/gemm/epilogue.hpp>
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
  /// What peers of a split send: by source, by eight columns of mine, by thread.
  Partial partials[C::most_splits == 1 ? 1 : C::columns / 8 * 128 * C::consumers];
  PipelineBarriers<C::stages> pipeline;
  TransferBarrier partials_came;
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
  long long m;
  long long n;
  typename C::Out* out;
  long long out_stride;        ///< from row to row of what is computed
  long long out_batch_stride;  ///< from matrix to matrix
  Epilogue<typename C::Out> epilogue;
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
    if constexpr (C::most_splits > 1) {
      if (member.team_rank() == 0) member.init_barrier(scratch->partials_came, 1);
    }
    TilePipeline<C::stages> const pipeline(member, scratch->pipeline);
    if constexpr (C::most_splits > 1) {
      if (member.team_rank() == 0 && splits > 1)
        member.arrive_expecting(scratch->partials_came, partial_bytes(member, splits));
    }
    pipeline.run(
        member, [&](auto& side) { produce(member, *scratch, side); },
        [&](auto& side) { consume(member, *scratch, side, splits); });
  }

 private:
  using Product = WarpgroupMma<Target, typename C::In, typename C::In, float, C::columns,
                               C::a_major, C::b_major>;

  /// A tile of the calling team, in elements.
  struct Place {
    int row;
    int column;
    int batch;
  };

  KOHORT_FUNCTION int total() const { return with_.tiles * with_.batch; }
  KOHORT_FUNCTION Place place_of(Member const& member, int tile) const {
    int const batch = with_.batch == 1 ? 0 : tile / with_.tiles;
    TilePlace const place = with_.order[tile - batch * with_.tiles];
    return {(place.row * member.cluster_extent(0) + member.cluster_index(0)) * C::rows,
            (place.column * member.cluster_extent(1) + member.cluster_index(1)) * C::columns, batch};
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
  KOHORT_FUNCTION void produce(Member const& member, Scratch<C>& scratch, Side& side) const {
    int const first = first_step(member, split_of(member));
    int const end = first_step(member, split_of(member) + 1);
    KOHORT_NO_UNROLL for (int tile = member.cluster_league_rank(); tile < total();
                          tile += member.cluster_league_size()) {
      Place const place = place_of(member, tile);
      KOHORT_NO_UNROLL for (int step = first; step < end; ++step) {
        side.fill(C::stage_bytes, [&](int stage, TransferBarrier& barrier) {
          load_operand<C::a_major, C::rows>(member, with_.a, place.row, place.batch, step,
                                            scratch.a[stage], barrier, ClusterAxis::y);
          load_operand<C::b_major, C::columns>(member, with_.b, place.column, place.batch, step,
                                               scratch.b[stage], barrier, ClusterAxis::x);
        });
      }
    }
  }

  /// `Extent` rows of A or columns of B, C::depth deep, for all teams along `axis`.
  template <MatrixMajor Major, int Extent, class Map>
  KOHORT_FUNCTION void load_operand(Member const& member, Map const& map, int first, int batch,
                                    int step, typename C::In* to, TransferBarrier& barrier,
                                    ClusterAxis axis) const {
    int const k = step * C::depth;
    if constexpr (Major == MatrixMajor::k) {
      member.tile_load_multicast(map, {k, batch, first}, to, barrier, axis);
    } else {
      KOHORT_UNROLL
      for (int block = 0; block < Extent / 64; ++block)
        member.tile_load_multicast(map, {first + block * 64, batch, k}, to + block * 64 * C::depth,
                                   barrier, axis);
    }
  }

  template <class Side>
  KOHORT_FUNCTION void consume(Member const& member, Scratch<C>& scratch, Side& side,
                               int splits) const {
    int const group = member.team_rank() / 128;
    int const first = first_step(member, split_of(member));
    int const end = first_step(member, split_of(member) + 1);
    KOHORT_NO_UNROLL for (int tile = member.cluster_league_rank(); tile < total();
                          tile += member.cluster_league_size()) {
      Place place = place_of(member, tile);
      place.row += group * 64;
      Product product;
      multiply(member, scratch, side, product, group, end - first);
      if (C::most_splits > 1 && splits > 1) {
        finish_split(member, scratch, product, place, splits);
      } else {
        store(member, scratch, product, place, group);
      }
    }
    if (member.team_rank() % 128 == 0) member.wait_stores();
  }

  template <class Side>
  KOHORT_FUNCTION void multiply(Member const& member, Scratch<C>& scratch, Side& side,
                                Product& product, int group, int steps) const {
    product.clear();
    int before = 0;
    KOHORT_NO_UNROLL for (int step = 0; step < steps; ++step) {
      int const stage = side.wait();
      product.multiply(member, scratch.a[stage] + group * 64 * C::depth, scratch.b[stage]);
      // One product stays under way while the stage of the last one is handed back.
      product.template wait<1>(member);
      if (step > 0) side.release(before);
      before = stage;
    }
    product.template wait<0>(member);
    side.release(before);
  }

  /// The warpgroup's 64 rows of the tile.
  KOHORT_FUNCTION void store(Member const& member, Scratch<C>& scratch, Product& product,
                             Place const& place, int group) const {
    if (with_.epilogue.is_plain()) {
      store_chunks(member, scratch, product, place, group,
                   std::make_integer_sequence<int, C::columns / C::chunk>());
    } else {
      finish_chunks(member, scratch, product, place, group, 0, 1,
                    std::make_integer_sequence<int, C::columns / finished_chunk>());
    }
  }

  template <int... Chunks>
  KOHORT_FUNCTION void store_chunks(Member const& member, Scratch<C>& scratch, Product& product,
                                    Place const& place, int group,
                                    std::integer_sequence<int, Chunks...>) const {
    (store_chunk<Chunks>(member, scratch.out[group][Chunks % 2], product, place, group), ...);
  }

  template <int Chunk>
  KOHORT_FUNCTION void store_chunk(Member const& member, typename C::Out* buffer, Product& product,
                                   Place const& place, int group) const {
    using Out = typename C::Out;
    bool const issues = member.team_rank() % 128 == 0;
    if (issues) member.template wait_stores_read<1>();
    member.named_barrier(1 + group, 128 / member.subgroup_size());
    product.template for_each_fragment<Chunk * C::chunk, C::chunk>(
        member, [&](int row, int column, float first, float second) {
          auto const offset = static_cast<std::uint32_t>(
              (row * C::chunk + column - Chunk * C::chunk) * static_cast<int>(sizeof(Out)));
          auto* const to = reinterpret_cast<std::byte*>(buffer) +
                           swizzled_offset(Swizzle::bytes128, offset);
          *reinterpret_cast<ElementPair<Out>*>(to) = Product::template narrowed<Out>(first, second);
        });
    member.fence_before_transfer();
    member.named_barrier(1 + group, 128 / member.subgroup_size());
    if (issues)
      member.tile_store_async(with_.d, {place.column + Chunk * C::chunk, place.batch, place.row},
                              buffer);
  }

  // The epilogue works on sums in scratch, not in registers: those are full, and neighbours in a
  // row are then neighbours in memory.

  static constexpr int finished_chunk = 32;  ///< columns: 128 B of sums

  template <int... Chunks>
  KOHORT_FUNCTION void finish_chunks(Member const& member, Scratch<C>& scratch, Product& product,
                                     Place const& place, int group, int split, int splits,
                                     std::integer_sequence<int, Chunks...>) const {
    if (member.team_rank() % 128 == 0) member.wait_stores_read();
    member.named_barrier(1 + group, 128 / member.subgroup_size());
    (finish_chunk<Chunks>(member, scratch.out[group][Chunks % 2], product, place, group, split,
                          splits),
     ...);
  }

  /// Two buffers in turn: who fills one again has met everybody who read it.
  template <int Chunk>
  KOHORT_FUNCTION void finish_chunk(Member const& member, typename C::Out* buffer,
                                    Product& product, Place const& place, int group, int split,
                                    int splits) const {
    auto* const sums = reinterpret_cast<ElementPair<float>*>(buffer);
    product.template for_each_fragment<Chunk * finished_chunk, finished_chunk>(
        member, [&](int row, int column, float first, float second) {
          sums[pair_at(row, column - Chunk * finished_chunk)] = {first, second};
        });
    member.named_barrier(1 + group, 128 / member.subgroup_size());
    constexpr int pairs = 64 * finished_chunk / 2;
    KOHORT_NO_UNROLL for (int pair = member.team_rank() % 128; pair < pairs; pair += 128) {
      int const row = pair / (finished_chunk / 2);
      int const column = pair % (finished_chunk / 2) * 2;
      int const in_tile = Chunk * finished_chunk + column;
      if (owner_of(in_tile / 8, splits) != split) continue;
      store_pair(place, row, in_tile, sums[pair_at(row, column)]);
    }
  }

  /// Where two sums lie: pairs of a row, in an order without bank conflicts.
  static KOHORT_FUNCTION std::uint32_t pair_at(int row, int column) {
    return swizzled_offset(Swizzle::bytes128,
                           static_cast<std::uint32_t>((row * finished_chunk + column) * 4)) /
           8;
  }

  KOHORT_FUNCTION void store_pair(Place const& place, int row, int column,
                                  ElementPair<float> const& sums) const {
    using Out = typename C::Out;
    long long const i = place.row + row;
    long long const j = place.column + column;
    if (i >= with_.m || j >= with_.n) return;
    long long const at = place.batch * with_.out_batch_stride + i * with_.out_stride + j;
    float const first = finished(with_.epilogue, sums.first, i, j, at);
    // Rows begin at multiples of 16 B, and j is even: the two are one word.
    if (j + 1 < with_.n) {
      float const second = finished(with_.epilogue, sums.second, i, j + 1, at + 1);
      *reinterpret_cast<ElementPair<Out>*>(with_.out + at) =
          Product::template narrowed<Out>(first, second);
    } else {
      with_.out[at] = Out(first);
    }
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
  KOHORT_FUNCTION int partial_bytes(Member const& member, int splits) const {
    int const split = member.cluster_index(2);
    int const mine = first_eight(split + 1, splits) - first_eight(split, splits);
    return mine * (splits - 1) * 128 * C::consumers * static_cast<int>(sizeof(Partial));
  }

  /// Sends the columns of others to them, adds what they send to mine, and stores those.
  KOHORT_FUNCTION void finish_split(Member const& member, Scratch<C>& scratch, Product& product,
                                    Place const& place, int splits) const {
    int const split = member.cluster_index(2);
    int const teams_before = member.cluster_extent(0) * member.cluster_extent(1);
    int const base = member.cluster_rank() - split * teams_before;
    int const thread = member.team_rank();
    constexpr int width = 128 * C::consumers;
    float held[4];
    product.for_each_fragment(member, [&](int row, int column, float first, float second) {
      int const eight = column / 8;
      int const half = row % 16 / 8;
      held[half * 2] = first;
      held[half * 2 + 1] = second;
      int const owner = owner_of(eight, splits);
      if (half == 0 || owner == split) return;
      int const source = split < owner ? split : split - 1;
      int const mine = first_eight(owner + 1, splits) - first_eight(owner, splits);
      Partial& slot =
          scratch.partials[(source * mine + eight - first_eight(owner, splits)) * width + thread];
      member.push_async(slot, base + owner * teams_before,
                        Partial{{held[0], held[1], held[2], held[3]}}, scratch.partials_came);
    });
    Waiter waiter;
    member.wait(scratch.partials_came, waiter);
    sum_up(member, scratch, product, split, splits);
    finish_chunks(member, scratch, product, place, thread / 128, split, splits,
                  std::make_integer_sequence<int, C::columns / finished_chunk>());
  }

  /// Adds what came to the columns that are mine.
  KOHORT_FUNCTION void sum_up(Member const& member, Scratch<C> const& scratch, Product& product,
                              int split, int splits) const {
    constexpr int width = 128 * C::consumers;
    int const first_mine = first_eight(split, splits);
    int const mine = first_eight(split + 1, splits) - first_mine;
    product.for_each_fragment(member, [&](int row, int column, float& first, float& second) {
      int const eight = column / 8;
      if (owner_of(eight, splits) != split) return;
      int const half = row % 16 / 8;
      for (int source = 0; source < splits - 1; ++source) {
        Partial const& came =
            scratch.partials[(source * mine + eight - first_mine) * width + member.team_rank()];
        first += came.values[half * 2];
        second += came.values[half * 2 + 1];
      }
    });
  }

  Arguments<Target, C> with_;
};

}  // namespace kohort::kernels::gemm
