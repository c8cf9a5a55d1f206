// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "access.hpp"

#include <cstring>

/// What a compiler calls in code that was built with -fsanitize=thread, in place of
/// ThreadSanitizer's own runtime (as Linux' KCSAN does). The names and signatures are the
/// compilers'.
///
/// Most calls are from outside kernels or for addresses outside the region: they end at once.

#if !defined(__SANITIZE_ADDRESS__)

#define KOHORT_HOOK extern "C" __attribute__((visibility("default")))

namespace kohort::simulator {
namespace {

inline std::uintptr_t offset_of(void const* address) {
  return reinterpret_cast<std::uintptr_t>(address) - region.base;
}

template <int Bytes, bool Writes>
__attribute__((always_inline)) inline void hook(void const* address, void const* program_counter) {
  std::uintptr_t const offset = offset_of(address);
  if (offset >= region.bytes) return;
  if (ClusterCheck* const check = running_check) {
    if (check->is_observed()) [[unlikely]]
      check->tell(offset, Bytes, Writes);
    check->access<Bytes, Writes>(offset, program_counter);
  }
}

inline void hook_range(void const* address, std::size_t bytes, bool writes,
                       void const* program_counter) {
  std::uintptr_t const offset = offset_of(address);
  if (offset >= region.bytes || bytes == 0) return;
  if (ClusterCheck* const check = running_check) {
    if (check->is_observed()) [[unlikely]]
      check->tell(offset, bytes, writes);
    check->access_range(offset, bytes, writes, site_of(program_counter));
  }
}

inline void hook_volatile(void const* address, std::uint32_t bytes, bool writes,
                          void const* program_counter) {
  std::uintptr_t const offset = offset_of(address);
  if (offset >= region.bytes) return;
  if (ClusterCheck* const check = running_check) {
    if (check->is_observed()) [[unlikely]]
      check->tell(offset, bytes, writes);
    check->access_volatile(offset, bytes, writes, site_of(program_counter));
  }
}

}  // namespace
}  // namespace kohort::simulator

using namespace kohort::simulator;

#define KOHORT_HOOKS(BYTES)                                            \
  KOHORT_HOOK void __tsan_read##BYTES(void* address) {                 \
    hook<BYTES, false>(address, __builtin_return_address(0));          \
  }                                                                    \
  KOHORT_HOOK void __tsan_write##BYTES(void* address) {                \
    hook<BYTES, true>(address, __builtin_return_address(0));           \
  }                                                                    \
  KOHORT_HOOK void __tsan_read_write##BYTES(void* address) {           \
    hook<BYTES, false>(address, __builtin_return_address(0));          \
    hook<BYTES, true>(address, __builtin_return_address(0));           \
  }                                                                    \
  KOHORT_HOOK void __tsan_volatile_read##BYTES(void* address) {        \
    hook_volatile(address, BYTES, false, __builtin_return_address(0)); \
  }                                                                    \
  KOHORT_HOOK void __tsan_volatile_write##BYTES(void* address) {       \
    hook_volatile(address, BYTES, true, __builtin_return_address(0));  \
  }
KOHORT_HOOKS(1)
KOHORT_HOOKS(2)
KOHORT_HOOKS(4)
KOHORT_HOOKS(8)
KOHORT_HOOKS(16)
#undef KOHORT_HOOKS

/// Clang's, where it knows of a lower alignment: a device compiler would split the access as well.
#define KOHORT_UNALIGNED_HOOKS(BYTES)                                      \
  KOHORT_HOOK void __tsan_unaligned_read##BYTES(void* address) {           \
    hook_range(address, BYTES, false, __builtin_return_address(0));        \
  }                                                                        \
  KOHORT_HOOK void __tsan_unaligned_write##BYTES(void* address) {          \
    hook_range(address, BYTES, true, __builtin_return_address(0));         \
  }                                                                        \
  KOHORT_HOOK void __tsan_unaligned_read_write##BYTES(void* address) {     \
    hook_range(address, BYTES, false, __builtin_return_address(0));        \
    hook_range(address, BYTES, true, __builtin_return_address(0));         \
  }                                                                        \
  KOHORT_HOOK void __tsan_unaligned_volatile_read##BYTES(void* address) {  \
    hook_volatile(address, BYTES, false, __builtin_return_address(0));     \
  }                                                                        \
  KOHORT_HOOK void __tsan_unaligned_volatile_write##BYTES(void* address) { \
    hook_volatile(address, BYTES, true, __builtin_return_address(0));      \
  }
KOHORT_UNALIGNED_HOOKS(2)
KOHORT_UNALIGNED_HOOKS(4)
KOHORT_UNALIGNED_HOOKS(8)
KOHORT_UNALIGNED_HOOKS(16)
#undef KOHORT_UNALIGNED_HOOKS

KOHORT_HOOK void __tsan_read_range(void* address, std::size_t bytes) {
  hook_range(address, bytes, false, __builtin_return_address(0));
}
KOHORT_HOOK void __tsan_write_range(void* address, std::size_t bytes) {
  hook_range(address, bytes, true, __builtin_return_address(0));
}

KOHORT_HOOK void __tsan_init() {}
KOHORT_HOOK void __tsan_func_entry(void*) {}
KOHORT_HOOK void __tsan_func_exit() {}
/// A pointer to virtual functions is no data of the kernel's.
KOHORT_HOOK void __tsan_vptr_read(void**) {}
KOHORT_HOOK void __tsan_vptr_update(void**, void*) {}

/// Calls of the C library's own, which is not instrumented: kohort_check_target() sends them here
/// through the linker's --wrap.
KOHORT_HOOK void* __wrap_memcpy(void* to, void const* from, std::size_t bytes) {
  hook_range(from, bytes, false, __builtin_return_address(0));
  hook_range(to, bytes, true, __builtin_return_address(0));
  return std::memcpy(to, from, bytes);
}
KOHORT_HOOK void* __wrap_memmove(void* to, void const* from, std::size_t bytes) {
  hook_range(from, bytes, false, __builtin_return_address(0));
  hook_range(to, bytes, true, __builtin_return_address(0));
  return std::memmove(to, from, bytes);
}
KOHORT_HOOK void* __wrap_memset(void* to, int value, std::size_t bytes) {
  hook_range(to, bytes, true, __builtin_return_address(0));
  return std::memset(to, value, bytes);
}
KOHORT_HOOK int __wrap_memcmp(void const* left, void const* right, std::size_t bytes) {
  hook_range(left, bytes, false, __builtin_return_address(0));
  hook_range(right, bytes, false, __builtin_return_address(0));
  return std::memcmp(left, right, bytes);
}
/// The same three as newer versions of Clang call them.
KOHORT_HOOK void* __tsan_memcpy(void* to, void const* from, std::size_t bytes) {
  hook_range(from, bytes, false, __builtin_return_address(0));
  hook_range(to, bytes, true, __builtin_return_address(0));
  return std::memcpy(to, from, bytes);
}
KOHORT_HOOK void* __tsan_memmove(void* to, void const* from, std::size_t bytes) {
  hook_range(from, bytes, false, __builtin_return_address(0));
  hook_range(to, bytes, true, __builtin_return_address(0));
  return std::memmove(to, from, bytes);
}
KOHORT_HOOK void* __tsan_memset(void* to, int value, std::size_t bytes) {
  hook_range(to, bytes, true, __builtin_return_address(0));
  return std::memset(to, value, bytes);
}

#endif
