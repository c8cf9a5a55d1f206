// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/domain_order.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstddef>
#include <vector>

namespace {

using kohort::order_by_domain;

RC_GTEST_PROP(DomainOrder, IsAPermutation, ()) {
  int const domains = *rc::gen::inRange(1, 17);
  long long const size = *rc::gen::inRange(1, 3000);
  std::vector<bool> seen(static_cast<std::size_t>(size), false);
  for (long long rank = 0; rank < size; ++rank) {
    long long const place = order_by_domain(rank, size, domains);
    RC_ASSERT(place >= 0 && place < size);
    RC_ASSERT(!seen[static_cast<std::size_t>(place)]);
    seen[static_cast<std::size_t>(place)] = true;
  }
}

/// Whatever domain the device begins with.
RC_GTEST_PROP(DomainOrder, GivesEachDomainARun, ()) {
  int const domains = *rc::gen::inRange(1, 17);
  long long const size = *rc::gen::inRange(1, 3000);
  for (long long rank = domains; rank < size; ++rank)
    RC_ASSERT(order_by_domain(rank, size, domains) ==
              order_by_domain(rank - domains, size, domains) + 1);
}

TEST(DomainOrder, IsTheIdentityOnOneDomain) {
  for (int rank = 0; rank < 10; ++rank) EXPECT_EQ(order_by_domain(rank, 10, 1), rank);
}

/// aiter#5505: a rule with eight in it, on four dies.
TEST(DomainOrder, KnowsNoNumberOfDies) {
  std::vector<long long> places;
  for (int rank = 0; rank < 10; ++rank) places.push_back(order_by_domain(rank, 10, 4));
  EXPECT_EQ(places, (std::vector<long long>{0, 3, 6, 8, 1, 4, 7, 9, 2, 5}));
}

}  // namespace
