// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/growing_memory.hpp>
#include <kohort/backend/emulated/control.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace kohort::Impl {

/// What emulated clusters of one target share: the arena of their cluster scratch, their control
/// memory, and how the device is divided into domains.
class EmulatedWorkspace {
 public:
  /// Begins at a multiple of 1024 B: a swizzled tile's places depend on its address.
  std::byte* arena(std::size_t bytes) {
    constexpr std::uintptr_t alignment = 1024;  // cudaMalloc promises 256
    auto const first = reinterpret_cast<std::uintptr_t>(arena_.at_least(bytes + alignment));
    return reinterpret_cast<std::byte*>((first + alignment - 1) / alignment * alignment);
  }
  /// Zero whenever no emulated launch runs.
  std::byte* control(std::size_t bytes) {
    return static_cast<std::byte*>(control_.at_least(bytes));
  }

  Seat* seats(int teams) {
    return static_cast<Seat*>(seats_.at_least(static_cast<std::size_t>(teams) * sizeof(Seat)));
  }

  /// SMs of each domain; none: the whole device is one.
  std::vector<int> const& domains() const { return domains_; }
  int const* domain_of_sm() const { return domain_of_sm_; }

  /// @param domain_of_sm  by the SM's number; numbers from 0 on without gaps
  void divide(std::vector<int> const& domain_of_sm, int sm_count) {
    if (static_cast<int>(domain_of_sm.size()) != sm_count)
      throw std::invalid_argument("kohort: divide_into_domains() got the domains of " +
                                  std::to_string(domain_of_sm.size()) + " SMs; the device has " +
                                  std::to_string(sm_count));
    std::vector<int> sms;
    for (int domain : domain_of_sm) {
      if (domain < 0 || domain >= sm_count)
        throw std::invalid_argument("kohort: divide_into_domains() got domain " +
                                    std::to_string(domain) + "; domains are numbered from 0 on");
      if (domain >= static_cast<int>(sms.size())) sms.resize(domain + 1, 0);
      ++sms[domain];
    }
    if (std::find(sms.begin(), sms.end(), 0) != sms.end())
      throw std::invalid_argument(
          "kohort: divide_into_domains() got numbers with gaps; each domain has an SM at least");
    OutsideCapture const outside;
    std::size_t const bytes = domain_of_sm.size() * sizeof(int);
    void* const memory = table_.at_least(bytes);
    require_success(cudaMemcpy(memory, domain_of_sm.data(), bytes, cudaMemcpyHostToDevice),
                    "writing the table of domains");
    domain_of_sm_ = static_cast<int const*>(memory);
    domains_ = std::move(sms);
  }

  void free_all() noexcept {
    arena_.free_all();
    control_.free_all();
    seats_.free_all();
    table_.free_all();
  }

 private:
  CudaGrowingMemory arena_{"the cluster scratch of emulated clusters", false};
  CudaGrowingMemory control_{"the barriers of emulated clusters", true};
  CudaGrowingMemory seats_{"the seats of emulated clusters", false};
  CudaGrowingMemory table_{"the table of domains", false};
  std::vector<int> domains_;
  int const* domain_of_sm_ = nullptr;
};

}  // namespace kohort::Impl
