// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/common/fast_divide.hpp>
#include <kernels/common/packet.hpp>
#include <kohort/kohort.hpp>

#include <type_traits>

/// A histogram whose bins are spread over a cluster's scratch: team `rank` owns the bins
/// [rank * n, (rank + 1) * n), and whoever meets a sample of theirs pushes one to its owner.
namespace kohort::kernels::histogram {

/// Where samples go: bin (sample - lower) / width; what lies outside of the bins is not counted.
struct Bins {
  int count;
  int lower;
  FastDivide width;
  unsigned range;  ///< count * width, at most 2^31

  Bins(int bins, int lower_bound, unsigned bin_width)
      : count(bins), lower(lower_bound), width(bin_width), range(bins * bin_width) {}
};

struct Problem {
  int const* in;    ///< aligned to 16 B, as a Buffer's data is
  long long count;  ///< samples
  Bins bins;
  FastDivide bins_a_team;  ///< ⌈bins / cluster⌉
  /// Few bins are kept in 2^copies_log2 copies, neighbouring lanes in different ones: lanes that
  /// meet the same bin, or the same memory bank, then don't wait for each other.
  int copies_log2;
  unsigned* out;  ///< bins.count counters, zero before the launch
};

/// Sets the counters to zero: a launch of its own, because no team may add to a counter before it
/// is cleared, and waiting for that inside one launch would need a barrier over the whole league.
template <class Target>
struct Clear {
  using policy = ClusterPolicy<Target, ClusterDims<1>>;

  unsigned* out;
  int count;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    int const bin = member.league_rank() * member.team_size() + member.team_rank();
    if (bin < count) out[bin] = 0;
  }
};

/// Where a histogram's bins are.
enum class Place { one_team, cluster };

/// @tparam TeamsAnSm  teams of 1024 threads that registers must suffice for: 2 where the scratch
///                    leaves room for two
template <Place Where, int TeamsAnSm>
struct Count {
  template <class Target>
  using policy = std::conditional_t<
      Where == Place::one_team,
      ClusterPolicy<Target, ClusterDims<1>, DynamicClusterScratch<unsigned>,
                    LaunchBounds<1024, TeamsAnSm>>,
      ClusterPolicy<Target, DynamicClusterScratch<unsigned>, LaunchBounds<1024, TeamsAnSm>>>;

  Problem problem;

  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    auto const cells = member.dynamic_cluster_scratch();
    clear(member, cells);
    member.cluster_barrier();  // before anyone pushes here
    if constexpr (Where == Place::one_team) {
      int const copy = member.team_rank() & ((1 << problem.copies_log2) - 1);
      for_my_bins(member, [&](unsigned bin) {
        atomic_add<Scope::team>(&cells[(bin << problem.copies_log2) + copy], 1u);
      });
    } else {
      for_my_bins(member, [&](unsigned bin) { push(member, cells, bin); });
    }
    member.cluster_barrier();  // all pushes have landed
    merge(member, cells);
  }

 private:
  template <class Member, class Cells>
  static KOHORT_FUNCTION void clear(Member const& member, Cells const& cells) {
    Packet<unsigned>* const packets = as_packets(&cells[0]);
    int const count = cells.size() / Packet<unsigned>::count;
    KOHORT_NO_UNROLL
    for (int i = member.team_rank(); i < count; i += member.team_size()) packets[i] = {};
  }

  /// Calls `body(bin)` for each sample of this thread's share that has a bin.
  template <class Member, class Body>
  KOHORT_FUNCTION void for_my_bins(Member const& member, Body const& body) const {
    for_my_samples(member, [&](int sample) {
      unsigned const offset =
          static_cast<unsigned>(sample) - static_cast<unsigned>(problem.bins.lower);
      if (offset < problem.bins.range) body(problem.bins.width.quotient(offset));
    });
  }

  template <class Member, class Cells>
  KOHORT_FUNCTION void push(Member const& member, Cells const& cells, unsigned bin) const {
    int const owner = static_cast<int>(problem.bins_a_team.quotient(bin));
    unsigned const cell = bin - owner * problem.bins_a_team.divisor();
    if (owner == member.cluster_rank()) {
      atomic_add<Scope::cluster>(&cells[cell], 1u);
    } else {
      atomic_add<Scope::cluster>(&member.peer(cells, owner)[cell], 1u);
    }
  }

  /// Calls `body(sample)` for this thread's share, with several loads under way at a time.
  template <class Member, class Body>
  KOHORT_FUNCTION void for_my_samples(Member const& member, Body const& body) const {
    constexpr int in_flight = TeamsAnSm > 1 ? 2 : 4;
    constexpr int width = Packet<int>::count;
    long long const threads = static_cast<long long>(member.league_size()) * member.team_size();
    long long const thread =
        static_cast<long long>(member.league_rank()) * member.team_size() + member.team_rank();
    Packet<int> const* const packets = as_packets(problem.in);
    long long const packet_count = problem.count / width;
    long long packet = thread;
    for (; packet + (in_flight - 1) * threads < packet_count; packet += in_flight * threads) {
      Packet<int> loaded[in_flight];
      KOHORT_UNROLL
      for (int load = 0; load < in_flight; ++load) loaded[load] = packets[packet + load * threads];
      KOHORT_UNROLL
      for (int load = 0; load < in_flight; ++load) {
        KOHORT_UNROLL
        for (int i = 0; i < width; ++i) body(loaded[load][i]);
      }
    }
    for (; packet < packet_count; packet += threads) {
      Packet<int> const loaded = packets[packet];
      KOHORT_UNROLL
      for (int i = 0; i < width; ++i) body(loaded[i]);
    }
    long long const rest = packet_count * width + thread;
    if (rest < problem.count) body(problem.in[rest]);
  }

  /// Adds the team's own bins to the result. Clusters start at different bins, so that they don't
  /// queue for the same counters.
  template <class Member, class Cells>
  KOHORT_FUNCTION void merge(Member const& member, Cells const& cells) const {
    int const bins_a_team = static_cast<int>(problem.bins_a_team.divisor());
    int const first = member.cluster_rank() * bins_a_team;
    int const rest = problem.bins.count - first;
    int const mine = rest < bins_a_team ? rest : bins_a_team;
    if (mine <= 0) return;
    int const start = static_cast<int>(static_cast<long long>(member.cluster_league_rank()) * mine /
                                       member.cluster_league_size());
    int const copies = Where == Place::one_team ? 1 << problem.copies_log2 : 1;
    KOHORT_NO_UNROLL
    for (int i = member.team_rank(); i < mine; i += member.team_size()) {
      int const bin = i + start < mine ? i + start : i + start - mine;
      unsigned sum = 0;
      // Each lane starts at another copy: the same copy of neighbouring bins lies in few banks.
      for (int copy = 0; copy < copies; ++copy) {
        sum += cells[bin * copies + ((copy + bin) & (copies - 1))];
      }
      if (sum != 0) atomic_add(problem.out + first + bin, sum);
    }
  }
};

}  // namespace kohort::kernels::histogram
