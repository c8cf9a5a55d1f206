// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/operations.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace {

template <class Operation, class T>
void obeys_its_laws(T a, T b, T c) {
  Operation const operation;
  T const identity = Operation::template identity<T>();
  RC_ASSERT(operation(identity, a) == a);
  RC_ASSERT(operation(a, identity) == a);
  RC_ASSERT(operation(a, b) == operation(b, a));
  RC_ASSERT(operation(operation(a, b), c) == operation(a, operation(b, c)));
}

RC_GTEST_PROP(Operations, AreMonoidsOnIntegers, (unsigned a, unsigned b, unsigned c)) {
  obeys_its_laws<kohort::Sum>(a, b, c);
  obeys_its_laws<kohort::Product>(a, b, c);
  obeys_its_laws<kohort::Min>(a, b, c);
  obeys_its_laws<kohort::Max>(a, b, c);
  obeys_its_laws<kohort::BitAnd>(a, b, c);
  obeys_its_laws<kohort::BitOr>(a, b, c);
  obeys_its_laws<kohort::BitXor>(a, b, c);
}

RC_GTEST_PROP(Operations, ChooseExtremesOfSignedNumbers, (long long a, long long b, long long c)) {
  obeys_its_laws<kohort::Min>(a, b, c);
  obeys_its_laws<kohort::Max>(a, b, c);
}

RC_GTEST_PROP(Operations, ChooseExtremesOfFloatingNumbers, (double a, double b, double c)) {
  RC_PRE(!std::isnan(a) && !std::isnan(b) && !std::isnan(c));
  obeys_its_laws<kohort::Min>(a, b, c);
  obeys_its_laws<kohort::Max>(a, b, c);
}

TEST(Operations, StartExtremesOfFloatingNumbersAtInfinity) {
  EXPECT_EQ(kohort::Min::identity<float>(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(kohort::Max::identity<double>(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(kohort::Max::identity<int>(), std::numeric_limits<int>::lowest());
}

}  // namespace
