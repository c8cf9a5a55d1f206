// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kohort.hpp>

namespace kohort::bench {

/// The kernel that a one-dimensional launch of `Functor` runs, for questions to the driver.
template <class Functor>
void const* kernel_of(bool clustered) {
  using Policy = typename Functor::template policy<Cuda>;
  return Impl::for_each_family<Policy, Functor>().choose(clustered, true).function;
}

}  // namespace kohort::bench
