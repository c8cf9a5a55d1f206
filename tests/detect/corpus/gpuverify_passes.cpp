// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that GPUVerify's CUDA tests prove to be free of races.
#include "case.hpp"

namespace kohort::detect::gpuverify_passes {

constexpr int threads = 64;
constexpr int teams = 2;

template <class Target>
using Plain = ClusterPolicy<Target>;
template <class Target>
using Member = typename Plain<Target>::member_type;

struct alignas(64) Ranks {
  unsigned thread;
  unsigned team;
};

template <class Target>
void structs_of_wide_alignment(Target const& target) {
  Buffer<Ranks, Target> const out(target, teams * threads);
  Ranks* const ranks = out.data();
  parallel_for(
      "ranks", Plain<Target>(target, teams, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        Ranks& mine = ranks[member.league_rank() * threads + member.team_rank()];
        mine.thread = static_cast<unsigned>(member.team_rank());
        mine.team = static_cast<unsigned>(member.league_rank());
      });
  target.fence();
}

constexpr int run_length = 256;

template <class Target>
using WithRuns = ClusterPolicy<Target, TeamScratch<unsigned[threads * run_length]>>;
template <class Target>
using RunsMember = typename WithRuns<Target>::member_type;

template <class Target>
void each_thread_fills_its_run_of_scratch(Target const& target) {
  parallel_for(
      "runs_of_scratch", WithRuns<Target>(target, teams, threads),
      KOHORT_LAMBDA(RunsMember<Target> const& member) {
        int const thread = member.team_rank();
        for (int i = 0; i < run_length; ++i)
          member.team_scratch()[thread * run_length + i] = static_cast<unsigned>(thread);
      });
  target.fence();
}

template <class Target>
void each_thread_fills_its_run(Target const& target) {
  Buffer<unsigned, Target> const out(target, teams * threads * run_length);
  unsigned* const values = out.data();
  parallel_for(
      "runs", Plain<Target>(target, teams, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.league_rank() * threads + member.team_rank();
        for (int i = 0; i < run_length; ++i)
          values[thread * run_length + i] = static_cast<unsigned>(thread);
      });
  target.fence();
}

KOHORT_FUNCTION int store_in_first_thread(int thread, float* values) {
  if (thread != 0) return 0;
  values[4] = 26.5F;
  return 1;
}

template <class Target>
void all_but_one_return_before_the_write(Target const& target) {
  auto const out = filled<float>(target, 8);
  float* const values = out.data();
  parallel_for(
      "early_return", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        (void)store_in_first_thread(member.team_rank(), values);
      });
  target.fence();
}

template <class Target>
void first_thread_takes_an_odd_element(Target const& target) {
  Buffer<float, Target> const out(target, 2 * threads);
  float* const values = out.data();
  parallel_for(
      "odd_and_even", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        values[thread == 0 ? 1 : 2 * thread] = 2.5F;
      });
  target.fence();
}

template <class Target>
void first_team_alone_writes(Target const& target) {
  Buffer<float, Target> const out(target, threads);
  float* const values = out.data();
  parallel_for(
      "first_team", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        if (member.league_rank() == 0) values[member.team_rank()] = 42.0F;
      });
  target.fence();
}

template <class Target>
void teams_stride_over_uneven_blocks(Target const& target) {
  constexpr int width = 8 * threads + 16;
  Buffer<int, Target> const out(target, teams * width);
  int* const values = out.data();
  parallel_for(
      "uneven_blocks", Plain<Target>(target, teams, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        for (int i = member.team_rank(); i < width; i += threads)
          values[member.league_rank() * width + i] = i;
      });
  target.fence();
}

constexpr int bins = 64;

template <class Target>
using WithCounts = ClusterPolicy<Target, TeamScratch<unsigned[bins * threads]>>;
template <class Target>
using CountsMember = typename WithCounts<Target>::member_type;

/// Each thread begins at another element of its row, as one that avoids bank conflicts does.
template <class Target>
void columns_are_cleared_rows_are_summed(Target const& target) {
  Buffer<unsigned, Target> const out(target, teams * bins);
  unsigned* const sums = out.data();
  parallel_for(
      "histogram_rows", WithCounts<Target>(target, teams, threads),
      KOHORT_LAMBDA(CountsMember<Target> const& member) {
        int const thread = member.team_rank();
        unsigned* const counts = member.team_scratch();
        for (int bin = 0; bin < bins; ++bin) counts[bin * threads + thread] = 0;
        member.team_barrier();
        unsigned sum = 0;
        int column = thread % 16 * 4;
        for (int i = 0; i < threads; ++i) {
          sum += counts[thread * threads + column];
          column = (column + 1) % threads;
        }
        sums[member.league_rank() * bins + thread] = sum;
      });
  target.fence();
}

constexpr int side = 8;
constexpr int vertices = 64;

template <class Target>
using WithBlock = ClusterPolicy<Target, TeamScratch<unsigned[side][side]>>;
template <class Target>
using BlockMember = typename WithBlock<Target>::member_type;

/// Row and column of the pivot are read while others write, but what they write there is decided by
/// the values: never to what the pivot reads.
template <class Target>
void closure_of_a_block(Target const& target) {
  std::vector<unsigned> edges(vertices * vertices);
  for (std::size_t i = 0; i < edges.size(); ++i) edges[i] = i * 2654435761U % 3 == 0 ? 1 : 0;
  Buffer<unsigned, Target> const graph(target, edges.size());
  deep_copy(graph, edges);
  unsigned* const reached = graph.data();
  parallel_for(
      "closure", WithBlock<Target>(target, 1, side * side),
      KOHORT_LAMBDA(BlockMember<Target> const& member) {
        constexpr int pass = 3;
        int const x = member.team_rank() % side;
        int const y = member.team_rank() / side;
        unsigned& mine = reached[(pass * side + y) * vertices + pass * side + x];
        auto& block = member.team_scratch();
        block[y][x] = mine;
        member.team_barrier();
        for (int pivot = 0; pivot < side; ++pivot) {
          if (block[y][x] == 0 && block[y][pivot] != 0 && block[pivot][x] != 0)
            block[y][x] = static_cast<unsigned>(pass * side + pivot + 2);
          member.team_barrier();
        }
        mine = block[y][x];
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "gpuverify_align",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify align",
     .faulty = structs_of_wide_alignment<UnitTarget>},
    {.name = "gpuverify_ctimeslid",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify ctimeslid",
     .faulty = each_thread_fills_its_run_of_scratch<UnitTarget>},
    {.name = "gpuverify_ctimesgid",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify ctimesgid",
     .faulty = each_thread_fills_its_run<UnitTarget>},
    {.name = "gpuverify_noraceduetoreturn",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify noraceduetoreturn",
     .faulty = all_but_one_return_before_the_write<UnitTarget>},
    {.name = "gpuverify_ternarytest",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify ternarytest",
     .faulty = first_thread_takes_an_odd_element<UnitTarget>},
    {.name = "gpuverify_test_for_get_group_id",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify test_for_get_group_id",
     .faulty = first_team_alone_writes<UnitTarget>},
    {.name = "gpuverify_reduced_strength_blockwise",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify reduced_strength_blockwise",
     .faulty = teams_stride_over_uneven_blocks<UnitTarget>},
    {.name = "gpuverify_scope",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify scope",
     .faulty = columns_are_cleared_rows_are_summed<UnitTarget>},
    {.name = "gpuverify_transitiveclosure",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify transitiveclosure",
     .faulty = closure_of_a_block<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::gpuverify_passes
