// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library kernel whose launches begin while the one before ends.
#include <kernels/common/random_data.hpp>
#include <kernels/reduce/reduction.hpp>
#include <kernels/reduce/reference.hpp>

#include "device.hpp"

#include <span>
#include <string>
#include <vector>

namespace kohort::conformance::reduce {

/// Sums of as many arrays of other lengths, queued in a row through one workspace: without a wait
/// for the launch before, the partials of two would mix.
template <class Target>
void launches_in_a_row_keep_apart(Target const& target) {
  using namespace kernels::reduce;
  needs_team_size(target, 256);
  constexpr int launches = 48;
  long long const most = std::is_same_v<Target, Simulator> ? 20000 : 1 << 20;
  auto const length = [=](int launch) { return most / (1 + launch % 7) - launch; };
  auto const host =
      kernels::make_data<float>(most, [](auto i) { return kernels::random_value<float>(7, i); });
  auto const in = upload(target, host);
  for (Variant const variant : {Variant::subgroup_tiles_32, Variant::one_atomic_a_team}) {
    auto const results = poisoned<float>(target, launches);
    Reduction<Target, float> const reduction(target, variant, 256, ClusterShape(1));
    for (int i = 0; i < launches; ++i) reduction.launch(in.data(), length(i), results.data() + i);
    target.fence("reductions in a row");
    std::vector<float> const sums = download(results);
    for (int i = 0; i < launches; ++i) {
      Reference const reference =
          reference_sum(std::span<float const>(host).first(static_cast<std::size_t>(length(i))));
      float const sum = sums[static_cast<std::size_t>(i)];
      require(relative_error(sum, reference) <= error_bound<float>(),
              to_string(variant) + ", launch " + std::to_string(i) + ": " + std::to_string(sum));
    }
  }
}

namespace {
Rung<UnitTarget> const rung("31_reduce", {{"LaunchesInARowKeepApart",
                                           launches_in_a_row_keep_apart<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::reduce
