// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>
#include <kohort/kokkos.hpp>

#include <string>
#include <vector>

/// The bodies of these tests are function templates over the execution space, because a lambda for
/// a device can't stand in a test's own (private) member.
namespace kohort_kokkos_test {

using Spaces = ::testing::Types<
#if defined(KOKKOS_ENABLE_CUDA)
    Kokkos::Cuda
#elif defined(KOKKOS_ENABLE_OPENMP) && defined(KOKKOS_ENABLE_SERIAL)
    Kokkos::OpenMP, Kokkos::Serial
#elif defined(KOKKOS_ENABLE_OPENMP)
    Kokkos::OpenMP
#else
    Kokkos::DefaultHostExecutionSpace
#endif
    >;

template <class Space>
class OnSpace : public ::testing::Test {};

/// A View's elements on the host.
template <class View>
auto on_host(View const& view) {
  auto mirror = Kokkos::create_mirror_view(view);
  Kokkos::deep_copy(mirror, view);
  return mirror;
}

template <class Space, class T>
using Array = Kokkos::View<T*, typename Space::memory_space>;

/// What `body` throws, or nothing.
template <class Body>
std::string refusal(Body const& body) {
  try {
    body();
  } catch (std::exception const& error) {
    return error.what();
  }
  return "";
}

#define EXPECT_SAYS(text, part) EXPECT_NE(std::string(text).find(part), std::string::npos) << (text)

}  // namespace kohort_kokkos_test
