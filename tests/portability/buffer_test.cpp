// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the ladder's 14_buffer.cpp can't ask of every target.
#include <kohort/kohort.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <new>
#include <type_traits>
#include <vector>

namespace {

using kohort::Buffer;
using kohort::deep_copy;
using kohort::Simulator;

TEST(Buffer, MovesAndNeverCopies) {
  using Ints = Buffer<int, Simulator>;
  EXPECT_FALSE(std::is_copy_constructible_v<Ints>);
  EXPECT_FALSE(std::is_copy_assignable_v<Ints>);
  EXPECT_TRUE(std::is_nothrow_move_constructible_v<Ints>);
  EXPECT_TRUE(std::is_nothrow_move_assignable_v<Ints>);
}

TEST(Buffer, ThrowsBadAllocForMoreThanThereIs) {
  using Bytes = Buffer<char, Simulator>;
  EXPECT_THROW(Bytes(Simulator(), std::size_t{1} << 62), std::bad_alloc);
}

RC_GTEST_PROP(Buffer, GivesBackWhatItWasGiven, (std::vector<double> values)) {
  Simulator const target;
  Buffer<double, Simulator> const first(target, values.size());
  Buffer<double, Simulator> const second(target, values.size());
  deep_copy(first, values);
  deep_copy(second, first);
  std::vector<double> back(values.size(), -1.0);
  deep_copy(back, second);
  RC_ASSERT(back == values);
}

RC_GTEST_PROP(Buffer, RefusesOtherSizes, (unsigned char mine, unsigned char other)) {
  RC_PRE(mine != other);
  Buffer<int, Simulator> const buffer(Simulator(), mine);
  std::vector<int> values(other, 3);
  RC_ASSERT_THROWS_AS(deep_copy(buffer, values), std::invalid_argument);
  RC_ASSERT_THROWS_AS(deep_copy(values, buffer), std::invalid_argument);
}

}  // namespace
