// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a Buffer's elements are trivially copyable
#include <kohort/kohort.hpp>

#include <string>

#ifdef KOHORT_CONTROL
using Element = int;
#else
using Element = std::string;
#endif

void allocate(kohort::Simulator const& target) {
  kohort::Buffer<Element, kohort::Simulator>(target, 4);
}
