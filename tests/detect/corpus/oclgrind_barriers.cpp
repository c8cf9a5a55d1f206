// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Oclgrind's tests call divergence of a work-group at a barrier.
#include "case.hpp"

namespace kohort::detect::oclgrind_barriers {

constexpr int threads = 64;

template <class Target>
using Plain = ClusterPolicy<Target>;
template <class Target>
using Member = typename Plain<Target>::member_type;

template <class Target>
void first_thread_passes_by_the_barrier(Target const& target) {
  auto const out = filled<int>(target, threads);
  int* const results = out.data();
  parallel_for(
      "all_but_one", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        if (thread != 0) member.team_barrier();
        results[thread] = thread;
      });
  target.fence();
}

template <class Target>
void first_thread_meets_the_barrier(Target const& target) {
  auto const out = filled<int>(target, threads);
  int* const results = out.data();
  parallel_for(
      "all", Plain<Target>(target, 1, threads), KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        member.team_barrier();
        results[thread] = thread;
      });
  target.fence();
}

template <class Target>
void each_branch_has_its_barrier(Target const& target) {
  auto const out = filled<int>(target, threads);
  int* const results = out.data();
  parallel_for(
      "one_writes_all_read", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        if (thread == 0) {
          results[0] = 42;
          member.team_barrier();
        } else {
          member.team_barrier();
          results[thread] = thread + results[0];
        }
      });
  target.fence();
}

template <class Target>
void branches_share_a_barrier(Target const& target) {
  auto const out = filled<int>(target, threads);
  int* const results = out.data();
  parallel_for(
      "one_writes_all_read", Plain<Target>(target, 1, threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        if (thread == 0) results[0] = 42;
        member.team_barrier();
        if (thread != 0) results[thread] = thread + results[0];
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "oclgrind_barrier_divergence",
     .kind = "barrier",
     .expected = "team-barrier-divergent",
     .source = "Oclgrind barrier/barrier_divergence",
     .faulty = first_thread_passes_by_the_barrier<UnitTarget>,
     .repaired = first_thread_meets_the_barrier<UnitTarget>},
    {.name = "oclgrind_barrier_different_instructions",
     .kind = "barrier",
     .expected = "team-barrier-mismatch",
     .source = "Oclgrind barrier/barrier_different_instructions",
     .faulty = each_branch_has_its_barrier<UnitTarget>,
     .repaired = branches_share_a_barrier<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::oclgrind_barriers
