// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <thread>
#include <type_traits>
#include <vector>

namespace kohort::kernels {

/// A random word for each index: the finaliser of SplitMix64 over a counter, so that any part of
/// the data can be made alone, and again.
inline std::uint64_t random_word(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t word = seed * 0x9e3779b97f4a7c15u + (index + 1) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

/// Uniform in [0, 1) for floating types, in -100 … 100 for integers: sums of 2^24 of them fit.
template <class T>
T random_value(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t const word = random_word(seed, index);
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(static_cast<double>(word >> 40) * 0x1p-24);
  } else {
    return static_cast<T>(static_cast<int>((word >> 33) % 201) - 100);
  }
}

/// Of the normal distribution around 0, with deviation 1 (G. Box and M. Muller, 1958).
inline double normal_value(std::uint64_t seed, std::uint64_t index) {
  auto const uniform = [&](std::uint64_t i) {  // in (0, 1], so that its logarithm is finite
    return static_cast<double>((random_word(seed, i) >> 11) + 1) * 0x1p-53;
  };
  double const radius = std::sqrt(-2 * std::log(uniform(2 * index)));
  return radius * std::cos(2 * std::numbers::pi * uniform(2 * index + 1));
}

/// Calls `body(first, end)` for parts of 0 … count - 1, on as many threads as the machine has.
/// @param grain  what a thread is worth
template <class Body>
void in_parallel_parts(std::uint64_t count, Body const& body, std::uint64_t grain = 65536) {
  std::uint64_t const wanted = count / grain + 1;
  std::uint64_t const workers =
      std::clamp<std::uint64_t>(std::thread::hardware_concurrency(), 1, wanted);
  std::vector<std::thread> threads;
  for (std::uint64_t worker = 1; worker < workers; ++worker) {
    threads.emplace_back(
        [&, worker] { body(count * worker / workers, count * (worker + 1) / workers); });
  }
  body(std::uint64_t{0}, count / workers);
  for (std::thread& thread : threads) thread.join();
}

/// `count` values of `make(index)`.
template <class T, class Make>
std::vector<T> make_data(std::uint64_t count, Make const& make) {
  std::vector<T> data(count);
  in_parallel_parts(count, [&](std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t index = first; index < end; ++index) data[index] = make(index);
  });
  return data;
}

}  // namespace kohort::kernels
