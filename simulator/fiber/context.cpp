// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "context.hpp"

#include <cxxabi.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace kohort::simulator {

ExceptionState* exception_state() noexcept {
  return reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals());
}

void jump_with_exceptions(Context* place, Context target, ExceptionState* exceptions,
                          Stack const& to) {
  ExceptionState const saved = *exceptions;
  *exceptions = ExceptionState{};
  jump(place, target, to);
  *exceptions = saved;
}

#if KOHORT_INLINE_SWITCH

Context fresh_context(Stack const& stack) {
  // As after a call: 16-byte aligned but for the return address, which is null, so that a debugger
  // and the unwinder see where the stack ends.
  auto* frame =
      reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(stack.top) & ~std::uintptr_t{15});
  *--frame = nullptr;
  *--frame = reinterpret_cast<void*>(&fiber_main);
  return frame;
}

void entered_fresh_stack() {}

#else

namespace {

using boost::context::detail::transfer_t;

/// Boost hands over where the other fiber stood; it belongs to the place that it named.
void remember(transfer_t from) { *static_cast<Context*>(from.data) = from.fctx; }

void boost_entry(transfer_t from) {
  remember(from);
  fiber_main();
}

}  // namespace

Context fresh_context(Stack const& stack) {
  return boost::context::detail::make_fcontext(stack.top, stack.bytes(), boost_entry);
}

void jump(Context* place, Context target, Stack const& to) {
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, to.bottom, to.bytes());
  transfer_t const from = boost::context::detail::jump_fcontext(target, place);
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#else
  static_cast<void>(to);
  transfer_t const from = boost::context::detail::jump_fcontext(target, place);
#endif
  remember(from);
}

void entered_fresh_stack() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
}

#endif

void forget_frames([[maybe_unused]] Stack const& stack, [[maybe_unused]] Context context) {
#if defined(__SANITIZE_ADDRESS__)
  auto* const lowest = static_cast<std::byte*>(context);
  __asan_unpoison_memory_region(lowest, static_cast<std::size_t>(stack.top - lowest));
#endif
}

}  // namespace kohort::simulator
