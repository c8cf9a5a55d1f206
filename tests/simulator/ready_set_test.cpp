// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulator/schedule/ready_set.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <iterator>
#include <set>
#include <vector>

namespace kohort::simulator {
namespace {

/// The same answers from a set whose code nobody doubts.
void expect_same(ReadySet const& ready, std::set<int> const& model, int positions) {
  RC_ASSERT(ready.empty() == model.empty());
  RC_ASSERT(ready.first() == (model.empty() ? -1 : *model.begin()));
  RC_ASSERT(ready.count() == static_cast<int>(model.size()));
  int index = 0;
  for (int const member : model) RC_ASSERT(ready.select(index++) == member);
  RC_ASSERT(ready.select(index) == -1);
  for (int position = 0; position < positions; ++position)
    RC_ASSERT(ready.contains(position) == model.contains(position));
}

RC_GTEST_PROP(ReadySet, AnswersAsAStdSetDoes, ()) {
  // Up to 300: several words; from 4096 on: several words of the summary as well.
  int const positions = *rc::gen::oneOf(rc::gen::inRange(1, 300), rc::gen::inRange(4090, 4300));
  int const operations = *rc::gen::inRange(0, 40);
  ReadySet ready;
  ready.resize(positions);
  std::set<int> model;
  for (int i = 0; i < operations; ++i) {
    int const position = *rc::gen::inRange(0, positions);
    int const last = *rc::gen::inRange(position, positions + 1);
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        ready.insert(position);
        model.insert(position);
        break;
      case 1:
        ready.erase(position);
        model.erase(position);
        break;
      case 2:
        ready.insert_range(position, last);
        for (int one = position; one < last; ++one) model.insert(one);
        break;
      default:
        if (!model.empty()) {
          ready.erase(ready.first());
          model.erase(model.begin());
        }
    }
  }
  expect_same(ready, model, positions);
}

TEST(ReadySet, IsEmptyAfterItIsResized) {
  ReadySet ready;
  ready.resize(100);
  ready.insert_range(0, 100);
  ready.resize(16'384);
  EXPECT_TRUE(ready.empty());
  EXPECT_EQ(ready.count(), 0);
  EXPECT_EQ(ready.first(), -1);
}

TEST(ReadySet, HoldsEveryThreadOfTheLargestCluster) {
  ReadySet ready;
  ready.resize(16 * 1024);
  ready.insert_range(0, 16 * 1024);
  for (int thread = 0; thread < 16 * 1024; ++thread) {
    ASSERT_EQ(ready.first(), thread);
    ready.erase(thread);
  }
  EXPECT_TRUE(ready.empty());
}

TEST(ReadySet, InsertsAnEmptyRangeAsNothing) {
  ReadySet ready;
  ready.resize(128);
  ready.insert_range(64, 64);
  EXPECT_TRUE(ready.empty());
}

}  // namespace
}  // namespace kohort::simulator
