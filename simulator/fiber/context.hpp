// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace kohort::simulator {

/// What the C++ runtime keeps per OS thread about exceptions in flight (Itanium C++ ABI,
/// "__cxa_eh_globals"). A fiber that is switched out inside a catch block must find its own again.
struct ExceptionState {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

/// This OS thread's. Never inlined: a compiler may keep a thread-local's address over a switch.
__attribute__((noinline, noipa)) ExceptionState* exception_state() noexcept;

/// Where a fiber's stack lies, for the sanitizer's sake.
struct StackBounds {
  void const* bottom = nullptr;
  std::size_t bytes = 0;
};

using Context = boost::context::detail::fcontext_t;
using Transfer = boost::context::detail::transfer_t;

/// Leaves the running fiber for `target`; returns when somebody comes back, with who that was.
/// All switching goes through here, so that the sanitizer learns of each.
/// @param leaving_for_good  the running fiber ended; its stack may be reused at once
inline Transfer switch_context(Context target, void* message, ExceptionState* exceptions,
                               [[maybe_unused]] StackBounds to,
                               [[maybe_unused]] bool leaving_for_good = false) {
  ExceptionState const saved = *exceptions;
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(leaving_for_good ? nullptr : &fake_stack, to.bottom, to.bytes);
#endif
  Transfer const from = boost::context::detail::jump_fcontext(target, message);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  *exceptions = saved;
  return from;
}

/// To be called first thing on a fresh stack.
inline void entered_fresh_stack(ExceptionState* exceptions) {
  *exceptions = ExceptionState{};
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
}

}  // namespace kohort::simulator
