// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define KOHORT_INLINE_SWITCH 1
#else
#include <boost/context/detail/fcontext.hpp>
#define KOHORT_INLINE_SWITCH 0
#endif

/// A function whose result nobody may keep over a switch of fibers; Clang has no noipa.
#if defined(__clang__)
#define KOHORT_OPAQUE __attribute__((noinline))
#else
#define KOHORT_OPAQUE __attribute__((noinline, noipa))
#endif

namespace kohort::simulator {

/// Where a fiber that does not run goes on: its stack pointer.
using Context = void*;

/// What the C++ runtime keeps per OS thread about exceptions in flight (Itanium C++ ABI,
/// "__cxa_eh_globals"). A fiber that is switched out inside a catch block must find its own again.
struct ExceptionState {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

/// This OS thread's. Never inlined: a compiler may keep a thread-local's address over a switch.
KOHORT_OPAQUE ExceptionState* exception_state() noexcept;

/// A fiber's stack. It grows down from `top` to `bottom`, below which lies a guard.
struct Stack {
  std::byte* bottom = nullptr;
  std::byte* top = nullptr;
  bool guarded = false;

  std::size_t bytes() const { return static_cast<std::size_t>(top - bottom); }
};

/// What every fiber runs (engine/switching.cpp). It never returns.
[[noreturn]] void fiber_main() noexcept;

/// A context that begins fiber_main() on a fresh stack.
Context fresh_context(Stack const& stack);

#if KOHORT_INLINE_SWITCH

/// Leaves the running fiber, whose place goes to `*place`, for `target`.
///
/// Boost.Context's jump costs three times this (docs/decisions/0003-fiber-switch.md): it is a call
/// that leaves by a jump, so the next return is predicted wrongly, and it saves the floating-point
/// control words, which kernels share here. Inlined, the compiler saves what it needs of the
/// registers, and the caller's return meets the return address that the processor expects. The
/// simulator is compiled with -mno-red-zone, since this pushes.
__attribute__((always_inline)) inline void jump(Context* place, Context target,
                                                Stack const& /*to*/) {
  asm volatile(
      "pushq %%rbp\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "movq %%rsp, (%[place])\n\t"
      "movq %[target], %%rsp\n\t"
      "popq %%rax\n\t"
      "jmpq *%%rax\n"
      "1:\n\t"
      "popq %%rbp\n"
      : [place] "+D"(place), [target] "+S"(target)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
        "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
        "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}

#else

void jump(Context* place, Context target, Stack const& to);

#endif

/// The rare switch out of a catch block: sets the exceptions in flight aside until the fiber is
/// back. Every other fiber thus finds, and leaves, an empty state, and saves nothing.
void jump_with_exceptions(Context* place, Context target, ExceptionState* exceptions,
                          Stack const& to);

/// Leaves the running fiber for `target`; returns when somebody comes back.
__attribute__((always_inline)) inline void switch_context(Context* place, Context target,
                                                          ExceptionState* exceptions,
                                                          Stack const& to) {
  if ((reinterpret_cast<std::uintptr_t>(exceptions->caught) | exceptions->uncaught) != 0)
      [[unlikely]] {
    jump_with_exceptions(place, target, exceptions, to);
  } else {
    jump(place, target, to);
  }
}

/// To be called first thing on a fresh stack.
void entered_fresh_stack();

/// To be called before the stack of a fiber that stood at `context` is used by another: its frames
/// never returned, so AddressSanitizer still knows of their variables.
void forget_frames(Stack const& stack, Context context);

}  // namespace kohort::simulator
