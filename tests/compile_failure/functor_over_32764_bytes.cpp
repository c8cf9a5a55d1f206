// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a kernel's functor is at most 32,764 B (the limit of CUDA's kernel parameters)
#include <kohort/kohort.hpp>

using Policy = kohort::ClusterPolicy<kohort::Simulator>;

#ifdef KOHORT_CONTROL
inline constexpr int words = 8191;
#else
inline constexpr int words = 8192;
#endif

struct Table {
  int word[words];
  void operator()(Policy::member_type const&) const {}
};

void launch(kohort::Simulator const& target) {
  static Table const table{};
  kohort::parallel_for("functor_over_32764_bytes", Policy(target, 1, 1), table);
}
