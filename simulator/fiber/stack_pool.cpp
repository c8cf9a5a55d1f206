// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stack_pool.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <new>

namespace kohort::simulator {
namespace {

constexpr std::size_t stacks_a_slab = 64;

/// Linux 6.13's madvise value; older headers lack the name.
constexpr int madv_guard_install = 102;

/// Whole pages, and an odd number of them with the guard: stacks at multiples of a power of two
/// would share a few sets of the second cache, and their tops, at one place in a page, of the
/// first. The tops are therefore staggered by a cache line as well, differently every 64 stacks.
std::size_t usable_bytes(std::size_t bytes) {
  std::size_t const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::size_t const pages = (bytes + StackPool::guard_bytes + page - 1) / page;
  return (pages | 1U) * page - StackPool::guard_bytes;
}

bool install_guard(std::byte* address, std::size_t made) {
  if (madvise(address, StackPool::guard_bytes, madv_guard_install) == 0) return true;
  return made < StackPool::mprotect_budget &&
         mprotect(address, StackPool::guard_bytes, PROT_NONE) == 0;
}

}  // namespace

StackPool& StackPool::of_size(std::size_t bytes) {
  static std::mutex mutex;
  // Never destroyed: fibers of a static Simulator may outlive main().
  static auto* pools = new std::map<std::size_t, std::unique_ptr<StackPool>>;
  std::size_t const rounded = usable_bytes(bytes);
  std::scoped_lock lock(mutex);
  auto& pool = (*pools)[rounded];
  if (!pool) pool = std::make_unique<StackPool>(rounded);
  return *pool;
}

void StackPool::grow() {
  std::size_t const stride = guard_bytes + bytes_;
  void* const slab = mmap(nullptr, stride * stacks_a_slab, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (slab == MAP_FAILED) throw std::bad_alloc();
  // Huge pages would commit 2 MiB for a stack that uses 4 KiB.
  madvise(slab, stride * stacks_a_slab, MADV_NOHUGEPAGE);
  for (std::size_t i = stacks_a_slab; i-- > 0; ++made_) {
    std::byte* const guard = static_cast<std::byte*>(slab) + i * stride;
    bool const guarded = install_guard(guard, made_);
    std::size_t const stagger = (made_ + made_ / 64) % 64 * 64;
    Stack const stack{guard + guard_bytes, guard + stride - stagger, guarded};
    free_.push_back(stack);
  }
}

void StackPool::take(std::vector<Stack>& into, std::size_t count) {
  std::scoped_lock lock(mutex_);
  if (free_.empty()) grow();
  count = std::min(count, free_.size());
  into.insert(into.end(), free_.end() - static_cast<std::ptrdiff_t>(count), free_.end());
  free_.resize(free_.size() - count);
}

void StackPool::give_back(std::vector<Stack>& from) {
  std::sort(from.begin(), from.end(),
            [](Stack const& left, Stack const& right) { return left.bottom > right.bottom; });
  std::scoped_lock lock(mutex_);
  free_.insert(free_.end(), from.begin(), from.end());
  from.clear();
}

bool is_in_guard(Stack const& stack, void const* address) {
  auto const* byte = static_cast<std::byte const*>(address);
  return byte >= stack.bottom - StackPool::guard_bytes && byte < stack.bottom;
}

}  // namespace kohort::simulator
