// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kohort.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace kohort::cli {

/// Times device work between two events in a target's stream.
class StreamClock {
 public:
  explicit StreamClock(Cuda const& target) : target_(target) {
    Impl::require_success(cudaEventCreate(&start_), "creating a CUDA event");
    Impl::require_success(cudaEventCreate(&stop_), "creating a CUDA event");
  }
  StreamClock(StreamClock const&) = delete;
  StreamClock& operator=(StreamClock const&) = delete;
  ~StreamClock() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }

  /// Seconds that each of `calls` takes, the median of its samples. The calls take turns, forwards
  /// and backwards (ABBA), so that a drift of clocks meets all alike; each sample is some calls
  /// behind each other, so that the host's part is hidden.
  std::vector<double> medians(std::vector<std::function<void()>> const& calls) {
    for (auto const& call : calls) time(call, 3);
    std::vector<std::vector<double>> samples(calls.size());
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < calls.size(); ++i) samples[i].push_back(sample(calls[i]));
      for (std::size_t i = calls.size(); i-- > 0;) samples[i].push_back(sample(calls[i]));
    }
    std::vector<double> result;
    for (std::vector<double>& one : samples) {
      std::nth_element(one.begin(), one.begin() + rounds, one.end());
      result.push_back(one[static_cast<std::size_t>(rounds)]);
    }
    return result;
  }

 private:
  static constexpr int rounds = 7;           ///< each gives two samples
  static constexpr int calls_a_sample = 10;  ///< launches behind each other

  double sample(std::function<void()> const& call) { return time(call, calls_a_sample); }
  double time(std::function<void()> const& call, int repeats) {
    Impl::require_success(cudaEventRecord(start_, target_.stream()), "recording a CUDA event");
    for (int i = 0; i < repeats; ++i) call();
    Impl::require_success(cudaEventRecord(stop_, target_.stream()), "recording a CUDA event");
    target_.fence("timed launches");
    float milliseconds = 0;
    Impl::require_success(cudaEventElapsedTime(&milliseconds, start_, stop_),
                          "reading a CUDA event");
    return 1e-3 * static_cast<double>(milliseconds) / repeats;
  }

  Cuda target_;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

}  // namespace kohort::cli
