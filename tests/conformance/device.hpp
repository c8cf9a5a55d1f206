// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "case.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// What the cases ask of the device, so that one body fits an H200, a profile of 8 SMs with
/// subgroups of 4, and a device without clusters.
namespace kohort::conformance {

/// `wanted` threads, or the device's most.
template <class Target>
int team_threads(Target const& target, int wanted = 256) {
  return std::min(wanted, properties(target).max_team_size);
}

/// Skips the case on a device that has less than it needs.
/// @param what  such as "threads a team"
inline void needs(long long wanted, long long most, std::string const& what) {
  if (most >= wanted) return;
  throw CaseSkipped("needs " + std::to_string(wanted) + " " + what + "; this device has " +
                    std::to_string(most));
}
template <class Target>
void needs_team_size(Target const& target, int threads) {
  needs(threads, properties(target).max_team_size, "threads a team");
}
template <class Target>
void needs_cluster_size(Target const& target, int teams) {
  needs(teams, properties(target).largest_nonportable_cluster, "teams a cluster");
}
template <class Target>
void needs_team_scratch(Target const& target, long long bytes) {
  needs(bytes, properties(target).max_team_scratch_bytes, "B of scratch a team");
}

/// `wanted` teams, or the device's largest cluster.
template <class Target>
int cluster_teams(Target const& target, int wanted) {
  return std::min(wanted, properties(target).largest_nonportable_cluster);
}

/// The cluster sizes that a case walks over; 3 is no power of two, 16 is non-portable on NVIDIA.
template <class Target>
std::vector<int> cluster_sizes(Target const& target) {
  std::vector<int> sizes;
  for (int size : {1, 2, 3, 4, 8, 16}) {
    if (size <= properties(target).largest_nonportable_cluster) sizes.push_back(size);
  }
  return sizes;
}

/// Team sizes around the subgroup's, most of them no multiple of it.
template <class Target>
std::vector<int> odd_team_sizes(Target const& target) {
  int const lanes = properties(target).subgroup_size;
  int const most = properties(target).max_team_size;
  std::vector<int> sizes;
  for (int size : {1, 2, lanes - 1, lanes, lanes + 1, 3 * lanes + 5, 8 * lanes, most - 3, most}) {
    if (size >= 1 && size <= most) sizes.push_back(size);
  }
  return sizes;
}

/// Launches with every cluster size allowed. On a device whose clusters are smaller it checks
/// that the launch is refused instead, for that is what the device must do.
/// @return whether the kernel was launched
template <class Policy, class Functor>
bool launched(std::string_view label, Policy policy, Functor const& functor,
              CallSite site = CallSite::current()) {
  policy.allow_nonportable_size();
  int const largest = properties(policy.target()).largest_nonportable_cluster;
  if (policy.request().cluster.count() <= largest) {
    parallel_for(label, policy, functor);
    return true;
  }
  require_throws<LaunchError>([&] { parallel_for(label, policy, functor); },
                              "a cluster over the device's largest", site);
  return false;
}

/// A buffer whose elements no kernel produces by accident.
template <class T, class Target>
Buffer<T, Target> poisoned(Target const& target, std::size_t count) {
  std::vector<T> poison(count);
  std::memset(static_cast<void*>(poison.data()), 0xA5, count * sizeof(T));
  Buffer<T, Target> buffer(target, count);
  deep_copy(buffer, poison);
  return buffer;
}

template <class T, class Target>
Buffer<T, Target> filled(Target const& target, std::size_t count, std::type_identity_t<T> value) {
  Buffer<T, Target> buffer(target, count);
  deep_copy(buffer, value);
  return buffer;
}

template <class T, class Target>
Buffer<T, Target> upload(Target const& target, std::vector<T> const& values) {
  Buffer<T, Target> buffer(target, values.size());
  deep_copy(buffer, values);
  return buffer;
}

template <class T, class Target>
std::vector<T> download(Buffer<T, Target> const& buffer) {
  std::vector<T> values(buffer.size());
  deep_copy(values, buffer);
  return values;
}

/// Random whole numbers of -1000 … 1000, so that sums of a few thousand are exact in every type.
template <class T>
std::vector<T> random_values(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<int> distribution(-1000, 1000);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(distribution(engine));
  return values;
}

/// Spreads the bits of `value` over 64 (SplitMix64's finaliser); the same on host and device.
KOHORT_FUNCTION std::uint64_t scrambled(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/// Work that takes `rounds` steps and whose result nobody can know in advance.
KOHORT_FUNCTION unsigned busy_work(unsigned seed, int rounds) {
  for (int round = 0; round < rounds; ++round) seed = seed * 1664525u + 1013904223u;
  return seed;
}

}  // namespace kohort::conformance
