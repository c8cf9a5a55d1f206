// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulator/fiber/stack_pool.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

namespace kohort::simulator {
namespace {

std::vector<Stack> take(StackPool& pool, std::size_t count) {
  std::vector<Stack> stacks;
  while (stacks.size() < count) pool.take(stacks, count - stacks.size());
  return stacks;
}

TEST(StackPool, GivesStacksThatCanBeWrittenFromTopToBottom) {
  StackPool& pool = StackPool::of_size(32 * 1024);
  std::vector<Stack> stacks = take(pool, 200);
  for (Stack const& stack : stacks) {
    EXPECT_GE(stack.bytes(), 28U * 1024) << "what staggering takes stays below a page";
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stack.top) % 64, 0U);
    std::memset(stack.bottom, 1, stack.bytes());
  }
  pool.give_back(stacks);
  EXPECT_TRUE(stacks.empty());
}

TEST(StackPool, GivesStacksThatDoNotOverlap) {
  StackPool& pool = StackPool::of_size(16 * 1024);
  std::vector<Stack> stacks = take(pool, 1000);
  std::sort(stacks.begin(), stacks.end(),
            [](Stack const& a, Stack const& b) { return a.bottom < b.bottom; });
  for (std::size_t i = 1; i < stacks.size(); ++i)
    EXPECT_LE(stacks[i - 1].top + StackPool::guard_bytes, stacks[i].bottom)
        << "a guard lies between";
  pool.give_back(stacks);
}

TEST(StackPool, StaggersTheTopsOverThePage) {
  StackPool& pool = StackPool::of_size(48 * 1024);
  std::vector<Stack> stacks = take(pool, 64);
  std::set<std::uintptr_t> places;
  for (Stack const& stack : stacks)
    places.insert(reinterpret_cast<std::uintptr_t>(stack.top) %
                  static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(places.size(), 64U);
  pool.give_back(stacks);
}

TEST(StackPool, GivesNeighboursInTheirOrderWhateverCameBackFirst) {
  StackPool pool(24 * 1024);
  auto const rises_from_the_back = [](std::vector<Stack> const& stacks) {
    return std::is_sorted(stacks.rbegin(), stacks.rend(),
                          [](Stack const& a, Stack const& b) { return a.bottom < b.bottom; });
  };
  std::vector<Stack> stacks = take(pool, 64);
  EXPECT_TRUE(rises_from_the_back(stacks));
  std::rotate(stacks.begin(), stacks.begin() + 23, stacks.end());
  std::swap(stacks[5], stacks[40]);
  pool.give_back(stacks);
  stacks = take(pool, 64);
  EXPECT_TRUE(rises_from_the_back(stacks));
  pool.give_back(stacks);
}

TEST(StackPool, ReusesWhatCameBack) {
  StackPool& pool = StackPool::of_size(20 * 1024);
  std::vector<Stack> first = take(pool, 64);
  std::set<std::byte*> tops;
  for (Stack const& stack : first) tops.insert(stack.top);
  pool.give_back(first);
  std::vector<Stack> second = take(pool, 64);
  for (Stack const& stack : second) EXPECT_EQ(tops.count(stack.top), 1U);
  pool.give_back(second);
}

TEST(StackPool, IsOneForSizesThatRoundToTheSamePages) {
  EXPECT_EQ(&StackPool::of_size(64 * 1024), &StackPool::of_size(64 * 1024 - 1));
  EXPECT_NE(&StackPool::of_size(64 * 1024), &StackPool::of_size(256 * 1024));
}

TEST(StackPool, GuardsItsFirstStacks) {
  StackPool& pool = StackPool::of_size(24 * 1024);
  std::vector<Stack> stacks = take(pool, 1);
  Stack const& stack = stacks.front();
  EXPECT_TRUE(stack.guarded);
  EXPECT_TRUE(is_in_guard(stack, stack.bottom - 1));
  EXPECT_TRUE(is_in_guard(stack, stack.bottom - StackPool::guard_bytes));
  EXPECT_FALSE(is_in_guard(stack, stack.bottom));
  EXPECT_FALSE(is_in_guard(stack, stack.bottom - StackPool::guard_bytes - 1));
  pool.give_back(stacks);
}

TEST(StackPoolDeathTest, StopsAWriteBelowTheStack) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  StackPool& pool = StackPool::of_size(24 * 1024);
  std::vector<Stack> stacks = take(pool, 1);
  auto volatile* const below = reinterpret_cast<char volatile*>(stacks.front().bottom) - 1;
  EXPECT_DEATH(*below = 1, "");
  pool.give_back(stacks);
}

TEST(StackCanary, TellsWhetherSomethingRanOverIt) {
  alignas(64) std::byte memory[256];
  Stack const bare{memory, memory + sizeof memory, false};
  plant_canary(bare);
  EXPECT_TRUE(canary_is_intact(bare));
  memory[3] = std::byte{0};
  EXPECT_FALSE(canary_is_intact(bare));
  Stack const guarded{memory, memory + sizeof memory, true};
  EXPECT_TRUE(canary_is_intact(guarded)) << "a guard needs no canary";
}

}  // namespace
}  // namespace kohort::simulator
