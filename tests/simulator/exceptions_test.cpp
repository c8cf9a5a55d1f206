// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <stdexcept>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace kohort::tests {
namespace {

/// While it lives, what this thread allocates is no leak: a fiber that is abandoned in a handler
/// takes its exception with it.
#if defined(__SANITIZE_ADDRESS__)
using MayBeLost = __lsan::ScopedDisabler;
#else
struct MayBeLost {
  MayBeLost() {}
};
#endif

using Policy = ClusterPolicy<Simulator>;
using Quads = ClusterPolicy<Simulator, ClusterDims<4>>;
using ::testing::HasSubstr;

/// What the exceptions in flight look like from this thread: its own number, -1 for none.
int caught_number() {
  if (std::current_exception() == nullptr) return -1;
  try {
    throw;
  } catch (int number) {
    return number;
  }
}

class Exceptions : public ::testing::TestWithParam<int> {
 protected:
  Simulator target(std::string const& schedule = "rank") const {
    return simulated({.schedule = schedule, .workers = GetParam()});
  }
};

TEST_P(Exceptions, AreReportedWithLabelTeamAndThread) {
  Simulator const simulator = target();
  auto const launch = [&](int bad_team) {
    parallel_for(
        "throws", Quads(simulator, 32, 64), KOHORT_LAMBDA(Quads::member_type const& member) {
          member.cluster_barrier();
          if (member.league_rank() == bad_team && member.team_rank() == 33)
            throw std::runtime_error("cell 41 is negative");
          member.cluster_barrier();
        });
  };
  for (int round = 0; round < 3; ++round) {
    auto const finding = finding_of([&] { launch(22); });
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->id(), "kernel-exception");
    EXPECT_EQ(finding->label(), "throws");
    EXPECT_EQ(finding->cluster(), 5);
    EXPECT_THAT(finding->what(), HasSubstr("team 2 thread 33  threw  cell 41 is negative"));
    EXPECT_THROW(std::rethrow_exception(finding->cause()), std::runtime_error);
    EXPECT_NO_THROW(launch(-1)) << "the target stays usable";
    EXPECT_EQ(std::uncaught_exceptions(), 0);
    EXPECT_EQ(std::current_exception(), nullptr);
  }
}

TEST_P(Exceptions, AreReportedThatAreNoStdException) {
  auto const finding = finding_of([&] {
    parallel_for(
        "throws_int", Policy(target(), 1, 1),
        KOHORT_LAMBDA(Policy::member_type const&) { throw 42; });
  });
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->what(), HasSubstr("threw  an exception that is no std::exception"));
  EXPECT_THROW(std::rethrow_exception(finding->cause()), int);
}

TEST_P(Exceptions, StayWithTheirThreadOverABarrierInACatchBlock) {
  for (char const* schedule : {"rank", "reverse", "random:3"}) {
    Simulator const simulator = target(schedule);
    auto const wrong = cell(simulator);
    int* const errors = wrong.data();
    parallel_for(
        "catches", Policy(simulator, 64, 48), KOHORT_LAMBDA(Policy::member_type const& member) {
          int const mine = member.league_rank() * 1000 + member.team_rank();
          try {
            throw int{mine};
          } catch (int) {
            for (int pass = 0; pass < 3; ++pass) {
              member.team_barrier();
              if (caught_number() != mine) atomic_add(errors, 1);
              if (std::uncaught_exceptions() != 0) atomic_add(errors, 1);
            }
          }
          member.team_barrier();
          if (std::current_exception() != nullptr) atomic_add(errors, 1);
        });
    EXPECT_EQ(*errors, 0) << schedule;
  }
}

TEST_P(Exceptions, AreUnknownToThreadsThatCaughtNone) {
  Simulator const simulator = target();
  auto const wrong = cell(simulator);
  int* const errors = wrong.data();
  parallel_for(
      "some_catch", Quads(simulator, 32, 32), KOHORT_LAMBDA(Quads::member_type const& member) {
        CallSite const site = CallSite::current();
        bool const throws = (member.team_rank() + member.cluster_rank()) % 3 == 0;
        int const expected = throws ? member.team_rank() : -1;
        auto const meet = [&] {
          member.cluster_barrier(site);
          if (caught_number() != expected) atomic_add(errors, 1);
        };
        if (throws) {
          try {
            throw int{member.team_rank()};
          } catch (int) {
            meet();
          }
        } else {
          meet();
        }
      });
  EXPECT_EQ(*errors, 0);
}

/// Meets the team while an exception unwinds the stack through it.
template <class Member>
struct MeetsWhileUnwinding {
  Member const& member;
  int* errors;
  ~MeetsWhileUnwinding() {
    member.team_barrier();
    if (std::uncaught_exceptions() != 1) atomic_add(errors, 1);
    try {
      throw std::logic_error("another one inside the destructor");
    } catch (std::logic_error const&) {
      member.team_barrier();
      if (std::uncaught_exceptions() != 1) atomic_add(errors, 1);
    }
  }
};

TEST_P(Exceptions, UnwindThroughADestructorThatWaitsAtABarrier) {
  for (char const* schedule : {"rank", "reverse", "random:3"}) {
    Simulator const simulator = target(schedule);
    auto const wrong = cell(simulator);
    int* const errors = wrong.data();
    parallel_for(
        "unwinds", Policy(simulator, 64, 48), KOHORT_LAMBDA(Policy::member_type const& member) {
          int const mine = member.team_rank();
          int seen = -1;
          try {
            MeetsWhileUnwinding<Policy::member_type> const guard{member, errors};
            throw int{mine};
          } catch (int number) {
            seen = number;
          }
          if (seen != mine || std::uncaught_exceptions() != 0) atomic_add(errors, 1);
        });
    EXPECT_EQ(*errors, 0) << schedule;
  }
}

TEST_P(Exceptions, NestOverSwitches) {
  Simulator const simulator = target();
  auto const wrong = cell(simulator);
  int* const errors = wrong.data();
  parallel_for(
      "nested", Policy(simulator, 16, 32), KOHORT_LAMBDA(Policy::member_type const& member) {
        int const mine = member.team_rank();
        try {
          throw int{mine};
        } catch (int) {
          member.team_barrier();
          try {
            throw int{mine + 100};
          } catch (int) {
            member.team_barrier();
            if (caught_number() != mine + 100) atomic_add(errors, 1);
          }
          member.team_barrier();
          if (caught_number() != mine) atomic_add(errors, 1);
        }
      });
  EXPECT_EQ(*errors, 0);
}

TEST_P(Exceptions, AreNotLostWhenAPeerIsAbandonedInItsCatchBlock) {
  Simulator const simulator = target();
  for (int round = 0; round < 3; ++round) {
    auto const finding = finding_of([&] {
      parallel_for(
          "abandons", Policy(simulator, 8, 32), KOHORT_LAMBDA(Policy::member_type const& member) {
            try {
              MayBeLost const exception;
              throw int{member.team_rank()};
            } catch (int) {
              if (member.team_rank() == 31) throw std::runtime_error("out of a handler");
              member.team_barrier();
            }
          });
    });
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->id(), "kernel-exception");
    EXPECT_EQ(finding->cluster(), 0);
    EXPECT_EQ(std::current_exception(), nullptr);
    EXPECT_EQ(std::uncaught_exceptions(), 0);
  }
}

TEST_P(Exceptions, OfTheHostSurviveALaunchInItsCatchBlock) {
  try {
    throw std::runtime_error("the host's own");
  } catch (std::runtime_error const& own) {
    EXPECT_NO_THROW(parallel_for(
        "within_a_handler", Policy(target(), 8, 32),
        KOHORT_LAMBDA(Policy::member_type const& member) {
          try {
            throw int{1};
          } catch (int) {
            member.team_barrier();
          }
        }));
    EXPECT_STREQ(own.what(), "the host's own");
    EXPECT_THROW(throw, std::runtime_error);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, Exceptions, ::testing::Values(1, 2, 16),
                         [](auto const& info) { return std::to_string(info.param) + "_workers"; });

}  // namespace
}  // namespace kohort::tests
