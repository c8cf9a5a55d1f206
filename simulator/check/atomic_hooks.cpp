// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster_check.hpp"

#include <cstdint>

/// The atomic operations of instrumented code: a compiler leaves them to the hook. Those of
/// kohort::atomic_… come here between before_atomic() and after_atomic(), and are only performed;
/// others (std::atomic, __atomic_…) are at system scope.

#if !defined(__SANITIZE_ADDRESS__)

#define KOHORT_HOOK extern "C" __attribute__((visibility("default")))

namespace kohort::simulator {
namespace {

AtomicOrder order_of(int order) {
  switch (order) {
    case __ATOMIC_RELAXED:
      return AtomicOrder::relaxed;
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE:
      return AtomicOrder::acquire;
    case __ATOMIC_RELEASE:
      return AtomicOrder::release;
    case __ATOMIC_ACQ_REL:
      return AtomicOrder::acquire_release;
    default:
      return AtomicOrder::sequentially_consistent;
  }
}

/// Tells the check of an operation that is not the library's, while it lives.
class ForeignAtomic {
 public:
  ForeignAtomic(void const volatile* address, std::size_t bytes, AtomicAccess::Kind kind, int order,
                void const* program_counter)
      : address_(const_cast<void const*>(address)) {
    if (running_check == nullptr) return;
    check_ = running_check;
    access_.kind = kind;
    access_.bytes = static_cast<std::uint8_t>(bytes);
    access_.order = order_of(order);
    access_.scope = AtomicScope::system;
    site_ = site_of(program_counter);
    check_->before_atomic(address_, access_, site_);
  }
  ~ForeignAtomic() {
    if (check_ != nullptr) check_->after_atomic(address_, access_, wrote, site_);
  }
  ForeignAtomic(ForeignAtomic const&) = delete;
  ForeignAtomic& operator=(ForeignAtomic const&) = delete;

  bool wrote = true;

 private:
  ClusterCheck* check_ = nullptr;
  void const* address_;
  AtomicAccess access_;
  SiteId site_ = unknown_site;
};

}  // namespace
}  // namespace kohort::simulator

using namespace kohort::simulator;
using Kind = AtomicAccess::Kind;

/// Orders are performed as the strongest: what a weaker one would allow, the check finds by rule.
#define KOHORT_ATOMIC_FETCH(BITS, TYPE, NAME)                                             \
  KOHORT_HOOK TYPE __tsan_atomic##BITS##_fetch_##NAME(TYPE volatile* address, TYPE value, \
                                                      int order) {                        \
    ForeignAtomic const told(address, sizeof(TYPE), Kind::update, order,                  \
                             __builtin_return_address(0));                                \
    return __atomic_fetch_##NAME(address, value, __ATOMIC_SEQ_CST);                       \
  }

#define KOHORT_ATOMIC_COMPARE_EXCHANGE(BITS, TYPE, NAME)                                          \
  KOHORT_HOOK int __tsan_atomic##BITS##_compare_exchange_##NAME(                                  \
      TYPE volatile* address, TYPE* expected, TYPE desired, int order, int) {                     \
    ForeignAtomic told(address, sizeof(TYPE), Kind::update, order, __builtin_return_address(0));  \
    told.wrote = __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST, \
                                             __ATOMIC_SEQ_CST);                                   \
    return told.wrote;                                                                            \
  }

#define KOHORT_ATOMICS(BITS, TYPE)                                                                 \
  KOHORT_HOOK TYPE __tsan_atomic##BITS##_load(TYPE const volatile* address, int order) {           \
    ForeignAtomic told(address, sizeof(TYPE), Kind::load, order, __builtin_return_address(0));     \
    told.wrote = false;                                                                            \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  KOHORT_HOOK void __tsan_atomic##BITS##_store(TYPE volatile* address, TYPE value, int order) {    \
    ForeignAtomic const told(address, sizeof(TYPE), Kind::store, order,                            \
                             __builtin_return_address(0));                                         \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  KOHORT_HOOK TYPE __tsan_atomic##BITS##_exchange(TYPE volatile* address, TYPE value, int order) { \
    ForeignAtomic const told(address, sizeof(TYPE), Kind::update, order,                           \
                             __builtin_return_address(0));                                         \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                  \
  }                                                                                                \
  KOHORT_ATOMIC_FETCH(BITS, TYPE, add)                                                             \
  KOHORT_ATOMIC_FETCH(BITS, TYPE, sub)                                                             \
  KOHORT_ATOMIC_FETCH(BITS, TYPE, and)                                                             \
  KOHORT_ATOMIC_FETCH(BITS, TYPE, or)                                                              \
  KOHORT_ATOMIC_FETCH(BITS, TYPE, xor)                                                             \
  KOHORT_ATOMIC_FETCH(BITS, TYPE, nand)                                                            \
  KOHORT_ATOMIC_COMPARE_EXCHANGE(BITS, TYPE, strong)                                               \
  KOHORT_ATOMIC_COMPARE_EXCHANGE(BITS, TYPE, weak)                                                 \
  KOHORT_HOOK TYPE __tsan_atomic##BITS##_compare_exchange_val(                                     \
      TYPE volatile* address, TYPE expected, TYPE desired, int order, int) {                       \
    ForeignAtomic told(address, sizeof(TYPE), Kind::update, order, __builtin_return_address(0));   \
    told.wrote = __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_SEQ_CST, \
                                             __ATOMIC_SEQ_CST);                                    \
    return expected;                                                                               \
  }
KOHORT_ATOMICS(8, std::uint8_t)
KOHORT_ATOMICS(16, std::uint16_t)
KOHORT_ATOMICS(32, std::uint32_t)
KOHORT_ATOMICS(64, std::uint64_t)
#undef KOHORT_ATOMICS
#undef KOHORT_ATOMIC_COMPARE_EXCHANGE
#undef KOHORT_ATOMIC_FETCH

KOHORT_HOOK void __tsan_atomic_thread_fence(int order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (running_check != nullptr && order != __ATOMIC_RELAXED)
    running_check->fence(AtomicScope::system, site_of(__builtin_return_address(0)));
}
KOHORT_HOOK void __tsan_atomic_signal_fence(int) {}

#endif
