// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPUVerify's CUDA tests of atomics: tickets that are told apart, and tickets that are not.
#include "case.hpp"

namespace kohort::detect::gpuverify_atomics {

constexpr int threads = 64;

template <class Target>
using Plain = ClusterPolicy<Target>;
template <class Target>
using Member = typename Plain<Target>::member_type;

/// Each thread writes to the slot that its ticket names; a ticket costs `each` + `by_rank` * rank.
template <class Target>
void write_by_ticket(Target const& target, int team_threads, int each, int by_rank) {
  auto const counter = filled<int>(target, 1);
  auto const out = filled<int>(target, threads);
  int* const next = counter.data();
  int* const slots = out.data();
  parallel_for(
      "tickets", Plain<Target>(target, 1, team_threads),
      KOHORT_LAMBDA(Member<Target> const& member) {
        int const thread = member.team_rank();
        slots[atomic_fetch_add(next, each + by_rank * thread)] = thread;
      });
  target.fence();
}

template <class Target>
void tickets_cost_nothing(Target const& target) {
  write_by_ticket(target, threads, 0, 0);
}

/// The first thread's ticket costs nothing, so whoever comes next gets the same one.
template <class Target>
void tickets_cost_the_rank(Target const& target) {
  write_by_ticket(target, 2, 0, 1);
}

template <class Target>
void tickets_cost_one(Target const& target) {
  write_by_ticket(target, threads, 1, 0);
}

template <class T>
KOHORT_FUNCTION void every_integer_operation(T* cell) {
  atomic_add(cell, 10);
  atomic_exchange(cell, 10);
  atomic_min(cell, 10);
  atomic_max(cell, 10);
  atomic_and(cell, 10);
  atomic_or(cell, 10);
  atomic_xor(cell, 10);
  atomic_compare_exchange(cell, 10, 11);
}

template <class Target>
void all_operations_on_shared_cells(Target const& target) {
  auto const ints = filled<int>(target, 1);
  auto const words = filled<unsigned>(target, 1);
  auto const longs = filled<unsigned long long>(target, 1);
  auto const floats = filled<float>(target, 1);
  int* const a = ints.data();
  unsigned* const b = words.data();
  unsigned long long* const c = longs.data();
  float* const d = floats.data();
  parallel_for(
      "operations", Plain<Target>(target, 2, threads), KOHORT_LAMBDA(Member<Target> const&) {
        every_integer_operation(a);
        every_integer_operation(b);
        every_integer_operation(c);
        atomic_add(d, 10.0F);
        atomic_exchange(d, 10.0F);
      });
  target.fence();
}

namespace {
Cases<UnitTarget> const cases{
    {.name = "gpuverify_add_zero",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify atomics/add_zero",
     .faulty = tickets_cost_nothing<UnitTarget>,
     .repaired = tickets_cost_one<UnitTarget>},
    {.name = "gpuverify_add_tid",
     .kind = "race",
     .expected = "race-global",
     .source = "GPUVerify atomics/add_tid",
     .faulty = tickets_cost_the_rank<UnitTarget>,
     .repaired = tickets_cost_one<UnitTarget>,
     .needs_exploration = true},
    {.name = "gpuverify_add_one",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify atomics/add_one",
     .faulty = tickets_cost_one<UnitTarget>},
    {.name = "gpuverify_definitions",
     .kind = "control",
     .expected = "",
     .source = "GPUVerify atomics/definitions",
     .faulty = all_operations_on_shared_cells<UnitTarget>},
};
}  // namespace

}  // namespace kohort::detect::gpuverify_atomics
