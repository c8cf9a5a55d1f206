// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/kohort.hpp>
#include <kohort/simulator/cache.hpp>

#include "simulator/cache/sampled_cache.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

namespace kohort::simulator {
namespace {

/// A cache of one set, as a list: what SampledCache must count of each of its sets.
struct PlainSet {
  std::deque<std::pair<std::uint64_t, bool>> lines;  ///< the latest used first
  CacheCounts counts;

  void access(std::uint64_t line, bool writes) {
    auto const found = std::find_if(lines.begin(), lines.end(),
                                    [&](auto const& one) { return one.first == line; });
    bool changed = writes;
    (writes ? counts.writes : counts.reads) += 1;
    if (found != lines.end()) {
      if (!writes) ++counts.read_hits;
      changed |= found->second;
      lines.erase(found);
    } else if (lines.size() == SampledCache::ways) {
      counts.written_back += lines.back().second ? 1 : 0;
      lines.pop_back();
    }
    lines.emplace_front(line, changed);
  }
};

RC_GTEST_PROP(SampledCache, CountsAsAListOfTheLatestUsedLines, ()) {
  SampledCache cache(SampledCache::line_bytes * SampledCache::ways, 1);
  PlainSet plain;
  int const accesses = *rc::gen::inRange(0, 400);
  for (int i = 0; i < accesses; ++i) {
    auto const line = static_cast<std::uint64_t>(*rc::gen::inRange(0, 40));
    bool const writes = *rc::gen::inRange(0, 4) == 0;
    cache.access(line, writes);
    plain.access(line, writes);
  }
  for (auto const& [line, changed] : plain.lines) plain.counts.written_back += changed ? 1 : 0;
  CacheCounts const counts = cache.counts();
  RC_ASSERT(counts.reads == plain.counts.reads);
  RC_ASSERT(counts.read_hits == plain.counts.read_hits);
  RC_ASSERT(counts.writes == plain.counts.writes);
  RC_ASSERT(counts.written_back == plain.counts.written_back);
}

/// What fits is read once from memory; of what is twice as large, least recently used keeps nothing
/// when it is read in turn.
TEST(SampledCache, HoldsWhatFitsAndNothingOfARoundThatDoesNot) {
  constexpr long long bytes = 4 << 20;
  for (auto const& [lines, least, most] :
       {std::tuple(bytes / 128 / 2, 0.70, 0.76), std::tuple(bytes / 128 * 2, 0.0, 0.02)}) {
    SampledCache cache(bytes, 16);
    for (int round = 0; round < 4; ++round)
      for (long long line = 0; line < lines; ++line)
        cache.access(static_cast<std::uint64_t>(line), false);
    CacheCounts const counts = cache.counts();
    EXPECT_NEAR(static_cast<double>(counts.reads), 4.0 * static_cast<double>(lines),
                0.1 * static_cast<double>(lines));
    EXPECT_GE(counts.read_hit_rate(), least);
    EXPECT_LE(counts.read_hit_rate(), most);
  }
}

constexpr int row = 4096;  ///< bytes

/// Every team copies row `row_of(its rank)` to its scratch.
template <class RowOf>
CacheCounts counts_of_rows(SimulatorOptions options, int teams, RowOf const& row_of,
                           std::vector<CacheCounts>* domains = nullptr) {
  CacheModel cache(1);
  options.observers.push_back(&cache);
  Simulator const target(options);
  struct alignas(128) Scratch {
    std::byte bytes[row];
    TransferBarrier barrier;
  };
  using Policy = ClusterPolicy<Simulator, TeamScratch<Scratch>>;
  Buffer<std::byte, Simulator> memory(target, static_cast<std::size_t>(row) * 64);
  deep_copy(memory, std::byte{1});
  std::byte const* const data = memory.data();
  parallel_for(
      "rows", Policy(target, teams, 64), KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Scratch& scratch = member.team_scratch();
        member.init_barriers(BarrierGroup(scratch.barrier, 1));
        if (member.team_rank() != 0) return;
        member.arrive_expecting(scratch.barrier, row);
        member.copy_async(scratch.bytes, data + row_of(member.league_rank()) * row, row,
                          scratch.barrier);
        Waiter waiter;
        member.wait(scratch.barrier, waiter);
      });
  if (domains != nullptr) *domains = cache.domains();
  return cache.total();
}

/// Teams of one XCD share an L2; those of others fetch the row for themselves.
TEST(CacheModel, CountsByDomain) {
  std::vector<CacheCounts> domains;
  auto const same = [](int) { return 0; };
  CacheCounts const total = counts_of_rows({.profile = "mi350x"}, 64, same, &domains);
  ASSERT_EQ(domains.size(), 8U);
  EXPECT_EQ(total.reads, 64 * row / 128);
  EXPECT_EQ(total.reads - total.read_hits, 8 * row / 128);
  for (CacheCounts const& one : domains) {
    EXPECT_EQ(one.reads, 8 * row / 128);
    EXPECT_EQ(one.read_hits, 7 * row / 128);
  }
  EXPECT_EQ(total.memory_bytes(), 8 * row);
  CacheCounts const shared = counts_of_rows({.profile = "h200-sxm"}, 64, same, &domains);
  EXPECT_EQ(domains.size(), 1U);
  EXPECT_EQ(shared.reads - shared.read_hits, row / 128);
}

TEST(CacheModel, DoesNotDependOnTheWorkers) {
  auto const some = [](int rank) { return rank * 7 % 13; };
  CacheCounts const one = counts_of_rows({.profile = "mi350x", .workers = 1}, 64, some);
  for (int const workers : {2, 16}) {
    CacheCounts const many = counts_of_rows({.profile = "mi350x", .workers = workers}, 64, some);
    EXPECT_EQ(many.reads, one.reads);
    EXPECT_EQ(many.read_hits, one.read_hits);
  }
}

/// Stores are written back once, however often their lines are written.
TEST(CacheModel, WritesBackWhatStoresChange) {
  CacheModel cache(1);
  Simulator const target(SimulatorOptions{.profile = "mi350x", .observers = {&cache}});
  struct alignas(128) Scratch {
    std::byte bytes[row];
  };
  using Policy = ClusterPolicy<Simulator, TeamScratch<Scratch>>;
  Buffer<std::byte, Simulator> memory(target, row);
  std::byte* const data = memory.data();
  parallel_for(
      "stores", Policy(target, 1, 64), KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Scratch& scratch = member.team_scratch();
        for (int i = member.team_rank(); i < row; i += 64) scratch.bytes[i] = std::byte{2};
        member.team_barrier(before_transfer);
        if (member.team_rank() != 0) return;
        for (int time = 0; time < 3; ++time) {
          member.copy_async(data, static_cast<std::byte const*>(scratch.bytes), row);
          member.wait_stores();
        }
      });
  EXPECT_EQ(cache.total().writes, 3 * row / 128);
  EXPECT_EQ(cache.total().written_back, row / 128);
  EXPECT_EQ(cache.total().reads, 0);
}

TEST(CacheModel, LooksAtOneSetInOneOrMore) {
  EXPECT_THROW(CacheModel(0), std::invalid_argument);
  EXPECT_THROW(CacheModel(-3), std::invalid_argument);
  EXPECT_NO_THROW(CacheModel(1 << 30));
}

TEST(CacheModel, IsEmptyBeforeTheFirstLaunch) {
  CacheModel const cache;
  EXPECT_TRUE(cache.domains().empty());
  EXPECT_EQ(cache.total().read_hit_rate(), 0);
}

}  // namespace
}  // namespace kohort::simulator
