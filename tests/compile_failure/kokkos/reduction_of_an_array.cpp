// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: takes no arrays (value_type[])
#include <kohort/kokkos.hpp>

using Policy = kohort::ClusterPolicy<Kokkos::DefaultExecutionSpace>;
using Member = Policy::member_type;

struct Sums {
  using value_type = double[];
  int value_count = 3;
  KOKKOS_FUNCTION void operator()(Member const&, double* to) const { to[0] += 1; }
};
struct Sum {
  KOKKOS_FUNCTION void operator()(Member const&, double& to) const { to += 1; }
};

void launch() {
#ifdef KOHORT_CONTROL
  double sum = 0;
  Kokkos::parallel_reduce("scalar", Policy(4, 32), Sum(), sum);
#else
  Kokkos::View<double*, Kokkos::HostSpace> const sums("sums", 3);
  Kokkos::parallel_reduce("array", Policy(4, 32), Sums(), sums);
#endif
}
