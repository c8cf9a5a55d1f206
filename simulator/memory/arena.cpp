// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arena.hpp"

#include <kohort/simulator/operations.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace kohort::simulator {
namespace {

std::size_t align_up(std::size_t value, std::size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

constexpr std::size_t device_alignment = 128;

}  // namespace

void Arena::Free::operator()(std::byte* memory) const { std::free(memory); }

void Arena::resize(int teams, std::size_t bytes, std::size_t alignment) {
  alignment = std::max(alignment, device_alignment);
  scratch_bytes_ = bytes;
  team_collectives_ = align_up(bytes, device_alignment);
  cluster_collectives_ = team_collectives_ + collective_bytes;
  stride_ = align_up(cluster_collectives_ + collective_bytes, alignment);
  std::size_t const needed = stride_ * static_cast<std::size_t>(teams);
  if (needed > size_ || reinterpret_cast<std::uintptr_t>(base_) % alignment != 0) {
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, needed)));
    if (!memory_) throw std::bad_alloc();
    base_ = memory_.get();
  }
  size_ = needed;
  for (int team = 0; team < teams; ++team) poison_scratch(team);
}

std::size_t Arena::bytes_used(int team) const {
  std::byte const* bytes = block(team);
  std::uint32_t pattern;
  std::memset(&pattern, poison, sizeof pattern);
  std::size_t used = 0;
  for (std::size_t at = 0; at + 4 <= scratch_bytes_; at += 4) {
    std::uint32_t word;
    std::memcpy(&word, bytes + at, sizeof word);
    used += word != pattern ? 4 : 0;
  }
  return used;
}

void Arena::poison_scratch(int team) { std::memset(block(team), poison, scratch_bytes_); }

void* allocate(std::size_t bytes) {
  std::size_t const rounded = align_up(std::max<std::size_t>(bytes, 1), device_alignment);
  void* const memory = std::aligned_alloc(device_alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, poison, rounded);
  return memory;
}

void deallocate(void* memory) noexcept { std::free(memory); }

}  // namespace kohort::simulator
