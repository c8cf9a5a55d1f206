// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arena.hpp"

#include "region.hpp"

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

/// From the region that the checker watches; from the heap where there is none, or where a policy
/// wants more than a page's alignment.
std::byte* take(std::size_t bytes, std::size_t alignment, PageUse use) {
  if (alignment <= region_page && region_is_reserved()) return allocate_pages(bytes, use);
  void* const memory = std::aligned_alloc(alignment, align_up(bytes, alignment));
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

void give_back(std::byte* memory, bool quarantine) {
  if (reinterpret_cast<std::uintptr_t>(memory) - region.base < region.bytes) {
    free_pages(memory, quarantine);
  } else {
    std::free(memory);
  }
}

}  // namespace

void Arena::Free::operator()(std::byte* memory) const { give_back(memory, false); }

void Arena::resize(int teams, LaunchShape const& shape) {
  std::size_t const alignment = std::max(shape.scratch_alignment, device_alignment);
  scratch_bytes_ = std::max(shape.padded_scratch_bytes, shape.scratch_bytes);
  team_collectives_ = align_up(scratch_bytes_ + gap, device_alignment);
  cluster_collectives_ = team_collectives_ + collective_bytes + gap;
  stride_ = align_up(cluster_collectives_ + collective_bytes + gap, alignment);
  objects_ = shape.scratch_objects;
  objects_.push_back({"the library's", team_collectives_, collective_bytes, 1});
  objects_.push_back({"the library's", cluster_collectives_, collective_bytes, 1});
  lead_ = align_up(gap, alignment);
  std::size_t const needed = lead_ + stride_ * static_cast<std::size_t>(teams);
  if (needed > size_ || reinterpret_cast<std::uintptr_t>(memory_.get()) % alignment != 0) {
    memory_.reset(take(needed, alignment, PageUse::scratch));
  }
  base_ = memory_.get() + lead_;
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

ScratchObject const* Arena::object_at(std::size_t in_block) const {
  for (ScratchObject const& object : objects_)
    if (in_block >= object.offset && in_block < object.offset + object.bytes) return &object;
  return nullptr;
}

std::pair<std::size_t, std::size_t> Arena::object_around(std::size_t offset) const {
  if (offset < lead_) return {0, 0};
  std::size_t const in_block = (offset - lead_) % stride_;
  ScratchObject const* const object = object_at(in_block);
  if (object == nullptr) return {0, 0};
  std::size_t const begin = offset - in_block + object->offset;
  return {begin, begin + object->bytes};
}

bool Arena::is_mapped(std::size_t offset) const {
  ScratchObject const* const object =
      offset < lead_ ? nullptr : object_at((offset - lead_) % stride_);
  if (object == nullptr) return false;
  return object->is_mapped || object->offset == cluster_collectives_;
}

void Arena::poison_scratch(int team) { std::memset(block(team), poison, scratch_bytes_); }

void* allocate(std::size_t bytes) {
  std::size_t const rounded = align_up(std::max<std::size_t>(bytes, 1), device_alignment);
  // The size asked for, not the rounded one, is what belongs to the caller.
  std::byte* const memory =
      take(region_is_reserved() ? bytes : rounded, device_alignment, PageUse::whole);
  std::memset(memory, poison, rounded);
  return memory;
}

void deallocate(void* memory) noexcept { give_back(static_cast<std::byte*>(memory), true); }

void written_by_host(void const* memory, std::size_t bytes) { note_host_write(memory, bytes); }

void copied_on_device(void const* to, void const* from, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(from) - region.base < region.bytes) {
    note_copy(to, from, bytes);
  } else {
    note_host_write(to, bytes);
  }
}

}  // namespace kohort::simulator
