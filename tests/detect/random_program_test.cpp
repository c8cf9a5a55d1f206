// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random cluster programs: what the checker says of each access, against an oracle that compares
// every pair of accesses.
#include "random_program.hpp"
#include "happens_before_oracle.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>
#include <string>

namespace kohort::detect {
namespace {

std::uint64_t number_from(char const* variable, std::uint64_t otherwise) {
  char const* const value = std::getenv(variable);
  return value == nullptr || *value == '\0' ? otherwise : std::strtoull(value, nullptr, 10);
}

std::string describe(Event const& event) {
  std::string const atomic =
      event.is_atomic ? fmt::format("atomic (operation {}, scope {}, order {}) ",
                                    static_cast<int>(event.operation),
                                    static_cast<int>(event.scope), static_cast<int>(event.order))
                      : "";
  return fmt::format("cluster {} team {} thread {} {}{} {} B at {:#x}", event.cluster, event.team,
                     event.thread, atomic, event.writes ? "write" : "read", event.bytes,
                     event.address);
}

/// What the checker said, in the oracle's terms.
struct Said {
  std::set<RacyAccess> races;
  std::set<std::size_t> too_early;
  std::set<std::tuple<int, int, int, int>> too_late;
};

Said said_of(Run const& run, Expected const& expected) {
  Said said;
  for (Verdict const& verdict : run.verdicts) {
    if (verdict.id == "peer-not-started") said.too_early.insert(verdict.event);
    if (verdict.id == "peer-ended")
      said.too_late.insert({verdict.cluster, verdict.team, verdict.thread, verdict.peer});
    bool const narrow = verdict.id == "atomic-scope";
    if (!narrow && verdict.id.rfind("race-", 0) != 0) continue;
    RacyAccess const racy{verdict.event, verdict.granule};
    said.races.insert(racy);
    Partner const partner{verdict.earlier_cluster, verdict.earlier_team, verdict.earlier_thread,
                          narrow};
    EXPECT_TRUE(expected.partners.count({racy, partner}) > 0)
        << "event " << verdict.event << " was said to race with an access of cluster "
        << verdict.earlier_cluster << " team " << verdict.earlier_team << " thread "
        << verdict.earlier_thread << ", with which it does not";
  }
  return said;
}

void report_difference(Run const& run, std::set<RacyAccess> const& one,
                       std::set<RacyAccess> const& other, char const* what) {
  int shown = 0;
  for (RacyAccess const& racy : one) {
    if (other.count(racy) > 0 || ++shown > 3) continue;
    auto const [event, granule] = racy;
    std::string others;
    for (std::size_t i = 0; i < event; ++i) {
      Event const& other = run.events[i];
      bool const here =
          other.memory == run.events[event].memory && other.address / 4 <= granule &&
          (other.address + static_cast<std::uintptr_t>(other.bytes) - 1) / 4 >= granule;
      if (other.kind == Event::Kind::access && here)
        others += fmt::format("\n  {}: {}", i, describe(other));
    }
    ADD_FAILURE() << what << ": event " << event << ", " << describe(run.events[event])
                  << ", granule " << fmt::format("{:#x}", granule * 4)
                  << "; earlier there:" << others;
  }
}

/// @return whether the program had a race
bool agrees(std::uint64_t seed) {
  Program const program = random_program(seed);
  SCOPED_TRACE(describe(program));
  ::testing::internal::CaptureStderr();
  Run const run = detect::run(program);
  ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(run.failure, "");
  Expected const expected = expected_of(program, run.events);
  Said const said = said_of(run, expected);
  report_difference(run, expected.races, said.races, "missed");
  report_difference(run, said.races, expected.races, "falsely reported");
  EXPECT_EQ(said.too_early, expected.too_early);
  EXPECT_EQ(said.too_late, expected.too_late);
  return !expected.races.empty();
}

/// KOHORT_RANDOM_PROGRAMS says how many; KOHORT_TEST_SEED, which. The log of 10,000 is
/// docs/results/random_programs.txt.
TEST(RandomPrograms, AgreeWithTheOracle) {
  std::uint64_t const count = number_from("KOHORT_RANDOM_PROGRAMS", 300);
  std::uint64_t const first =
      number_from("KOHORT_TEST_SEED", static_cast<std::uint64_t>(std::random_device()()) << 16U);
  std::uint64_t racy = 0;
  std::uint64_t done = 0;
  for (; done < count && !HasFailure(); ++done) racy += agrees(first + done) ? 1 : 0;
  std::printf("%llu programs from seed %llu on: %llu racy\n", static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(first), static_cast<unsigned long long>(racy));
  EXPECT_GE(10 * racy, 3 * done) << "too few of the programs race to tell anything";
}

}  // namespace
}  // namespace kohort::detect
