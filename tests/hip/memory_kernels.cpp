// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of reduce, histogram and halo, for .ci/hip: compiled for AMD, and looked at. No AMD
// device has run them.
#include <kernels/halo/row_stencil.hpp>
#include <kernels/histogram/histogram.hpp>
#include <kernels/reduce/reduction.hpp>

template class kohort::kernels::reduce::Reduction<kohort::Hip, float>;
template class kohort::kernels::reduce::Reduction<kohort::Hip, double>;
template class kohort::kernels::histogram::Histogram<kohort::Hip>;
template class kohort::kernels::halo::RowStencil<kohort::Hip, float>;
template class kohort::kernels::halo::RowStencil<kohort::Hip, double>;
