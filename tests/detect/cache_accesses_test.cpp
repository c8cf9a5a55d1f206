// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In mode check the cache model sees ordinary accesses too.
#include <kohort/kohort.hpp>
#include <kohort/simulator/cache.hpp>

#include <gtest/gtest.h>

namespace kohort::detect {
namespace {

using Policy = ClusterPolicy<Simulator, TeamScratch<int[1024]>>;

/// 8 teams on as many XCDs read the same 1024 ints, each to its scratch, and the first of them
/// writes them.
TEST(CacheModel, SeesAccessesOfInstrumentedKernels) {
  simulator::CacheModel cache(1);
  Simulator const target({.mode = "check", .profile = "mi350x", .observers = {&cache}});
  Buffer<int, Simulator> const in(target, 1024);
  Buffer<int, Simulator> const out(target, 1024);
  deep_copy(in, 1);
  int const* const from = in.data();
  int* const to = out.data();
  parallel_for("copy", Policy(target, 8, 256), [=](Policy::member_type const& member) {
    int(&scratch)[1024] = member.team_scratch();
    for (int i = member.team_rank(); i < 1024; i += 256) scratch[i] = from[i];
    if (member.league_rank() != 0) return;
    for (int i = member.team_rank(); i < 1024; i += 256) to[i] = scratch[i];
  });
  auto const total = cache.total();
  // Of 4 B each, and a line of 128 B holds 32 of them; scratch is no device memory. Each XCD
  // fetches every line once.
  EXPECT_EQ(total.reads, 8 * 1024);
  EXPECT_EQ(total.reads - total.read_hits, 8 * 1024 / 32);
  EXPECT_EQ(total.writes, 1024);
  EXPECT_EQ(total.written_back, 1024 / 32);
}

/// In mode run it does not, and says nothing else.
TEST(CacheModel, SeesNoAccessesInModeRun) {
  simulator::CacheModel cache(1);
  Simulator const target({.mode = "run", .profile = "mi350x", .observers = {&cache}});
  Buffer<int, Simulator> const in(target, 64);
  deep_copy(in, 1);
  int const* const from = in.data();
  parallel_for("reads", Policy(target, 1, 64), [=](Policy::member_type const& member) {
    member.team_scratch()[member.team_rank()] = from[member.team_rank()];
  });
  EXPECT_EQ(cache.total().reads, 0);
}

}  // namespace
}  // namespace kohort::detect
