// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/gemm/gemm_impl.hpp>

template class kohort::kernels::gemm::Gemm<kohort::UnitTarget, kohort::bfloat16>;
