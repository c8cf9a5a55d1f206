// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/kernels/gemm_cases.hpp>

#include "device.hpp"

/// A whole library kernel on each target: pipelines, multicasts, products and pushes together.
namespace kohort::conformance::gemm {

/// The first, in words, of `count` random problems from `first` on that the target gets wrong.
template <class Target>
std::string first_failure(Target const& target, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = first; i < first + count; ++i) {
    std::string const failure = kernels::gemm::run_random_problem(target, i).failure;
    if (!failure.empty()) return failure;
  }
  return {};
}

/// What gemm needs to have a kernel for every problem: the general one's.
template <class Target>
void needs_room(Target const& target) {
  needs_team_size(target, 256);
  needs_team_scratch(target, 65536);
}

/// 500 on a GPU. On the simulator tests/kernels has them; here, under the ladder's schedules and
/// in mode check, the first few.
template <class Target>
void random_problems_equal_the_reference(Target const& target) {
  needs_room(target);
  std::uint64_t const count = std::is_same_v<Target, Simulator> ? 40 : 500;
  require_equal(first_failure(target, 0, count), std::string(), "a random problem");
}

/// Large enough that the league is persistent, and that errors of the accumulation show.
template <class Target>
void long_sums_equal_the_reference(Target const& target) {
  needs_room(target);
  bool const is_simulated = std::is_same_v<Target, Simulator>;
  kernels::gemm::Problem const problem{is_simulated ? 256 : 1000 * 8, is_simulated ? 256 : 8192,
                                       is_simulated ? 512 : 4096};
  kernels::gemm::Trial<Target, bfloat16> const trial(target, problem, {}, 3);
  trial.make_gemm().launch();
  target.fence("gemm");
  kernels::gemm::Comparison const comparison = trial.compare();
  require(comparison.is_good(), comparison.worst);
}

namespace {
Rung<UnitTarget> const rung("30_gemm", {{"RandomProblemsEqualTheReference",
                                         random_problems_equal_the_reference<UnitTarget>},
                                        {"LongSumsEqualTheReference",
                                         long_sums_equal_the_reference<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::gemm
