// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program with this unit (kohort::kokkos_views) has its Views of host memory among the
// simulator's device memory, where mode check watches: Kokkos' HostSpace takes its memory from the
// aligned, nothrow operator new, which is replaced here. Kokkos counts Views as written by the host
// from the start, so a read before a write is not found in them.
#include <Kokkos_Core.hpp>
#include <kohort/simulator/operations.hpp>

#include <cstdlib>
#include <new>
#include <string>

namespace {

/// What stands before a View's elements in its memory.
constexpr auto header_bytes =
    static_cast<std::ptrdiff_t>(sizeof(Kokkos::Impl::SharedAllocationHeader));

void free_aligned(void* memory) noexcept {
  if (kohort::simulator::is_device_memory(memory)) {
    kohort::simulator::deallocate(memory);
  } else {
    std::free(memory);
  }
}

void name_allocation(Kokkos_Profiling_SpaceHandle, char const* label, void const* memory,
                     std::uint64_t bytes) {
  std::string const name = "View `" + std::string(label) + "` of " + std::to_string(bytes) + " B";
  kohort::simulator::name_memory(memory, [name](std::ptrdiff_t byte) {
    return "byte " + std::to_string(byte - header_bytes) + " of " + name;
  });
}

/// Before Kokkos is initialised, and so before its Views; a tool that is loaded takes the place.
[[maybe_unused]] bool const names = [] {
  Kokkos::Tools::Experimental::set_allocate_data_callback(&name_allocation);
  return true;
}();

}  // namespace

void* operator new(std::size_t bytes, std::align_val_t alignment, std::nothrow_t const&) noexcept {
  constexpr std::size_t device_alignment = 128;
  auto const wanted = static_cast<std::size_t>(alignment);
  try {
    if (wanted > device_alignment)
      return std::aligned_alloc(wanted, (bytes + wanted - 1) / wanted * wanted);
    void* const memory = kohort::simulator::allocate(bytes);
    kohort::simulator::written_by_host(memory, bytes);
    return memory;
  } catch (std::bad_alloc const&) {
    return nullptr;
  }
}
void operator delete(void* memory, std::align_val_t) noexcept { free_aligned(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { free_aligned(memory); }
void operator delete(void* memory, std::align_val_t, std::nothrow_t const&) noexcept {
  free_aligned(memory);
}
