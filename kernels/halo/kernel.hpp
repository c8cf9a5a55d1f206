// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/common/packet.hpp>
#include <kohort/kohort.hpp>

#include <utility>

/// A symmetric stencil along long rows. A team holds a tile of a row in its cluster scratch and
/// pushes the tile's ends to its neighbours, so that after one cluster barrier every read is local:
/// a pull would cost its reader a round trip of 200 cycles. The league is persistent: a cluster
/// takes one stretch of the row after the other, and loads the next before it computes one.
namespace kohort::kernels::halo {

/// out[row][i] = Σ weights[|k|] · in[row][i + k] over |k| ≤ radius, with zeros beyond the row.
template <class T, int MaxRadius>
struct Problem {
  T const* in;      ///< rows of `pitch` elements, aligned to 16 B
  T* out;           ///< the same layout
  long long width;  ///< elements of a row
  long long pitch;  ///< a multiple of 16 B's elements, `width` or more
  long long rows;
  T weights[MaxRadius + 1];  ///< from the centre outwards; zeros beyond the radius
};

/// A team's part of a row, between the halos that its neighbours push.
template <class T, int MaxRadius, int TileElements>
struct Tile {
  static constexpr int halo_packets = MaxRadius / Packet<T>::count;
  static constexpr int own_packets = TileElements / Packet<T>::count;
  static constexpr int own_start = halo_packets;
  static constexpr int after_start = halo_packets + own_packets;

  Packet<T> packets[halo_packets + own_packets + halo_packets];
};

/// @tparam MaxRadius      what the kernel is unrolled for: a multiple of a packet's elements
/// @tparam TeamThreads    threads of a team
/// @tparam PacketsAThread  packets of the tile that each thread loads and computes
template <class T, int MaxRadius, int TeamThreads, int PacketsAThread>
struct Stencil {
  static constexpr int width = Packet<T>::count;
  static constexpr int packets_a_thread = PacketsAThread;
  static_assert(MaxRadius % width == 0, "halos are whole packets");
  static_assert(2 * MaxRadius / width <= TeamThreads, "a thread moves at most one halo packet");
  static constexpr int tile_elements = TeamThreads * PacketsAThread * width;
  using tile_type = Tile<T, MaxRadius, tile_elements>;
  static constexpr int halo_packets = tile_type::halo_packets;
  static constexpr int tile_packets = tile_type::own_packets;
  /// Teams that registers must suffice for: 1280 threads with 48 B each under way are enough.
  static constexpr int teams_an_sm = TeamThreads < 256 ? 0 : 5;

  template <class Target>
  using policy =
      ClusterPolicy<Target, ClusterScratch<tile_type[3]>, LaunchBounds<TeamThreads, teams_an_sm>>;

  Problem<T, MaxRadius> problem;

  /// The league is tiles of a row along x, rows along y.
  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    Ends const ends(member);
    auto const tiles = member.cluster_scratch();
    // A team without a neighbour maps itself and leaves the handle alone.
    auto const left = member.peer(tiles, member.cluster_rank() - (ends.has_left ? 1 : 0));
    auto const right = member.peer(tiles, member.cluster_rank() + (ends.has_right ? 1 : 0));
    Row const row = row_of(member);
    long long tile = member.league_index(0);
    int const step = member.league_extent(0);
    long long const rounds = rounds_from(tile - member.cluster_index(0), step);

    if (rounds == 0) return;

    // Three tiles in turn, so that a tile's barrier passes while the one before is computed; and
    // the arrival, a release, has no fresh results to wait for. Tile k is read before its reader
    // arrives at the barrier of tile k + 2, and written again, as tile k + 3, only behind that
    // barrier.
    Stretch stretch = load_stretch(row, tile, ends);
    put(stretch, ends, tiles[0], left[0], right[0]);
    stretch = load_stretch(row, tile + step, ends);
    member.cluster_barrier();
    int buffer = 0;
    KOHORT_NO_UNROLL
    for (long long round = 1; round < rounds; ++round) {
      int const next = buffer == 2 ? 0 : buffer + 1;
      put(stretch, ends, tiles[next], left[next], right[next]);
      auto token = member.cluster_arrive();
      stretch = load_stretch(row, tile + 2 * step, ends);
      compute(row, tile, ends.thread, tiles[buffer]);
      member.cluster_wait(std::move(token));
      tile += step;
      buffer = next;
    }
    compute(row, tile, ends.thread, tiles[buffer]);
  }

 private:
  /// Where this thread stands in the tile, and whether its team has neighbours.
  struct Ends {
    template <class Member>
    explicit KOHORT_FUNCTION Ends(Member const& member)
        : thread(member.team_rank()),
          has_left(member.cluster_index(0) > 0),
          has_right(member.cluster_index(0) < member.cluster_extent(0) - 1) {}

    KOHORT_FUNCTION bool is_left_end() const { return thread < halo_packets; }
    KOHORT_FUNCTION int from_right_end() const { return thread - (TeamThreads - halo_packets); }
    KOHORT_FUNCTION bool is_right_end() const { return from_right_end() >= 0; }

    int thread;
    bool has_left;
    bool has_right;
  };

  struct Row {
    T const* in;
    T* out;
    long long elements;
  };

  /// A thread's packets of a tile; `edge` is the halo packet that no neighbour pushes.
  struct Stretch {
    Packet<T> packets[PacketsAThread];
    Packet<T> edge;
  };

  /// Teams beyond the last row, which fill up the last cluster, have nothing in their row.
  template <class Member>
  KOHORT_FUNCTION Row row_of(Member const& member) const {
    long long const row = member.league_index(1);
    bool const exists = row < problem.rows && member.league_index(2) == 0;
    return Row{problem.in + row * problem.pitch, problem.out + row * problem.pitch,
               exists ? problem.width : 0};
  }

  /// Rounds in which the cluster has a part of the row: the same for all of its teams.
  KOHORT_FUNCTION long long rounds_from(long long first_tile, int tiles_a_round) const {
    long long const tiles = (problem.width + tile_elements - 1) / tile_elements;
    return first_tile < tiles ? (tiles - first_tile + tiles_a_round - 1) / tiles_a_round : 0;
  }

  /// Whether the row has all of the tile's elements: then nothing need be compared.
  static KOHORT_FUNCTION bool is_whole(Row const& row, long long tile) {
    return (tile + 1) * tile_elements <= row.elements;
  }

  static KOHORT_FUNCTION Stretch load_stretch(Row const& row, long long tile, Ends const& ends) {
    long long const first = tile * tile_packets;
    Stretch stretch;
    if (is_whole(row, tile)) {
      Packet<T> const* const mine = as_packets(row.in) + (first + ends.thread);
      KOHORT_UNROLL
      for (int i = 0; i < PacketsAThread; ++i) stretch.packets[i] = mine[i * TeamThreads];
    } else {
      KOHORT_UNROLL
      for (int i = 0; i < PacketsAThread; ++i) {
        stretch.packets[i] = load(row, first + ends.thread + i * TeamThreads);
      }
    }
    stretch.edge = Packet<T>{};
    if (ends.is_left_end() && !ends.has_left)
      stretch.edge = load(row, first - halo_packets + ends.thread);
    if (ends.is_right_end() && !ends.has_right)
      stretch.edge = load(row, first + tile_packets + ends.from_right_end());
    return stretch;
  }

  /// Into my tile, and its ends into my neighbours' tiles.
  static KOHORT_FUNCTION void put(Stretch const& stretch, Ends const& ends, tile_type& tile,
                                  tile_type& left, tile_type& right) {
    KOHORT_UNROLL
    for (int i = 0; i < PacketsAThread; ++i) {
      tile.packets[tile_type::own_start + ends.thread + i * TeamThreads] = stretch.packets[i];
    }
    if (ends.is_left_end()) {
      if (ends.has_left) {
        left.packets[tile_type::after_start + ends.thread] = stretch.packets[0];
      } else {
        tile.packets[ends.thread] = stretch.edge;
      }
    }
    if (ends.is_right_end()) {
      int const packet = ends.from_right_end();
      if (ends.has_right) {
        right.packets[packet] = stretch.packets[PacketsAThread - 1];
      } else {
        tile.packets[tile_type::after_start + packet] = stretch.edge;
      }
    }
  }

  KOHORT_FUNCTION void compute(Row const& row, long long tile, int thread,
                               tile_type const& cells) const {
    long long const first = tile * tile_packets + thread;
    Packet<T> const* const windows = cells.packets + thread;
    if (is_whole(row, tile)) {
      Packet<T>* const out = as_packets(row.out) + first;
      KOHORT_NO_UNROLL
      for (int i = 0; i < PacketsAThread; ++i) {
        out[i * TeamThreads] = combine(windows + i * TeamThreads);
      }
    } else {
      KOHORT_NO_UNROLL
      for (int i = 0; i < PacketsAThread; ++i) {
        store(row, first + i * TeamThreads, combine(windows + i * TeamThreads));
      }
    }
  }

  /// The result for the packet whose window starts at `window`.
  KOHORT_FUNCTION Packet<T> combine(Packet<T> const* window) const {
    T values[(2 * halo_packets + 1) * width];
    KOHORT_UNROLL
    for (int packet = 0; packet < 2 * halo_packets + 1; ++packet) {
      Packet<T> const part = window[packet];
      KOHORT_UNROLL
      for (int i = 0; i < width; ++i) values[packet * width + i] = part[i];
    }
    Packet<T> result;
    KOHORT_UNROLL
    for (int i = 0; i < width; ++i) {
      T const* const centre = values + MaxRadius + i;
      T sum = problem.weights[0] * centre[0];
      KOHORT_UNROLL
      for (int k = 1; k <= MaxRadius; ++k) sum += problem.weights[k] * (centre[-k] + centre[k]);
      result[i] = sum;
    }
    return result;
  }

  /// Packet `packet` of the row, with zeros for elements outside of it.
  static KOHORT_FUNCTION Packet<T> load(Row const& row, long long packet) {
    long long const element = packet * width;
    if (element < 0 || element >= row.elements) return Packet<T>{};
    Packet<T> values = as_packets(row.in)[packet];
    if (element + width > row.elements) {
      KOHORT_UNROLL
      for (int i = 0; i < width; ++i) {
        if (element + i >= row.elements) values[i] = T(0);
      }
    }
    return values;
  }

  static KOHORT_FUNCTION void store(Row const& row, long long packet, Packet<T> const& values) {
    long long const element = packet * width;
    if (element + width <= row.elements) {
      as_packets(row.out)[packet] = values;
      return;
    }
    KOHORT_UNROLL
    for (int i = 0; i < width; ++i) {
      if (element + i < row.elements) row.out[element + i] = values[i];
    }
  }
};

}  // namespace kohort::kernels::halo
