// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "context.hpp"

#include <cxxabi.h>

namespace kohort::simulator {

ExceptionState* exception_state() noexcept {
  return reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals());
}

}  // namespace kohort::simulator
