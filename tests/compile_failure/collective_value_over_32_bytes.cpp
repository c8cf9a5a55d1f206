// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a collective's value is trivially copyable and at most 32 B
#include <kohort/kohort.hpp>

struct Row {
  double cells[4];
};
struct Rows {
  double cells[5];
};
using Policy = kohort::ClusterPolicy<kohort::Simulator>;

void launch(kohort::Simulator const& target) {
  kohort::parallel_for(
      "collective_value_over_32_bytes", Policy(target, 2, 32),
      KOHORT_LAMBDA(Policy::member_type const& member) {
#ifdef KOHORT_CONTROL
        (void)member.team_broadcast(Row{});
#else
        (void)member.team_broadcast(Rows{});
#endif
      });
}
