// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compiler's instrumentation has been seen to leave out: each way to touch memory must be
// seen by the checker, so that another thread's write to the same bytes is a race.
#include <kohort/kohort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>

namespace kohort::detect {
namespace {

/// Bytes that a way may touch, aligned to 64.
constexpr int touched_bytes = 64;

template <int Bytes>
struct Record {
  unsigned char bytes[Bytes];
};
struct Fields {
  unsigned int low : 3;
  unsigned int high : 29;
};
using Vector = float __attribute__((vector_size(16)));

template <class T>
T& as(unsigned char* memory) {
  return *reinterpret_cast<T*>(memory);
}

__attribute__((noinline)) Record<24> made(int value) {
  Record<24> record{};
  record.bytes[0] = static_cast<unsigned char>(value);
  return record;
}

/// One way to read or write memory. `local` is the thread's own.
struct Way {
  std::string name;
  void (*touch)(unsigned char* memory, unsigned char* local);
  friend void PrintTo(Way const& way, std::ostream* stream) { *stream << way.name; }
};

using Byte = unsigned char;

Way const ways[] = {
    {"read_1", [](Byte* m, Byte* l) { *l = *m; }},
    {"write_2", [](Byte* m, Byte*) { as<std::uint16_t>(m) = 1; }},
    {"read_4", [](Byte* m, Byte* l) { as<int>(l) = as<int>(m); }},
    {"write_8", [](Byte* m, Byte*) { as<double>(m) = 1.0; }},
    {"compound_update", [](Byte* m, Byte*) { as<int>(m) += 1; }},
    {"compound_update_of_a_float", [](Byte* m, Byte*) { as<float>(m) *= 2.0F; }},
    {"vector_read", [](Byte* m, Byte* l) { as<Vector>(l) = as<Vector>(m); }},
    {"vector_update", [](Byte* m, Byte*) { as<Vector>(m) += 1.0F; }},
    {"copy_of_a_record_of_16", [](Byte* m, Byte* l) { as<Record<16>>(l) = as<Record<16>>(m); }},
    {"copy_of_a_record_of_24", [](Byte* m, Byte* l) { as<Record<24>>(m) = as<Record<24>>(l); }},
    {"copy_of_a_record_of_64", [](Byte* m, Byte* l) { as<Record<64>>(l) = as<Record<64>>(m); }},
    {"zeroed_record", [](Byte* m, Byte*) { as<Record<64>>(m) = Record<64>{}; }},
    {"returned_record_through_a_local",
     [](Byte* m, Byte*) {
       Record<24> const record = made(1);
       as<Record<24>>(m) = record;
     }},
    {"memcpy_of_4_from", [](Byte* m, Byte* l) { std::memcpy(l, m, 4); }},
    {"memcpy_of_64_from", [](Byte* m, Byte* l) { std::memcpy(l, m, 64); }},
    {"memcpy_of_64_to", [](Byte* m, Byte* l) { std::memcpy(m, l, 64); }},
    {"memmove_of_17", [](Byte* m, Byte* l) { std::memmove(m, l, 17); }},
    {"memset_of_64", [](Byte* m, Byte*) { std::memset(m, 1, 64); }},
    {"memcmp_of_32", [](Byte* m, Byte* l) { *l = std::memcmp(m, l, 32) == 0 ? 1 : 0; }},
    {"bit_field", [](Byte* m, Byte*) { as<Fields>(m).high = 5; }},
    {"std_fill", [](Byte* m, Byte*) { std::fill_n(&as<int>(m), 16, 7); }},
    {"std_copy", [](Byte* m, Byte* l) { std::copy_n(&as<int>(m), 16, &as<int>(l)); }},
    {"std_swap", [](Byte* m, Byte* l) { std::swap(as<long>(m), as<long>(l)); }},
    {"loop",
     [](Byte* m, Byte*) {
       for (int i = 0; i < 16; ++i) (&as<float>(m))[i] = 1.0F;
     }},
    {"volatile_read", [](Byte* m, Byte* l) { as<int>(l) = as<int volatile>(m); }},
    {"volatile_write", [](Byte* m, Byte*) { as<long volatile>(m) = 1; }},
    {"atomic_load_1", [](Byte* m, Byte* l) { *l = __atomic_load_n(m, __ATOMIC_RELAXED); }},
    {"atomic_store_2",
     [](Byte* m, Byte*) { __atomic_store_n(&as<std::uint16_t>(m), 1, __ATOMIC_RELEASE); }},
    {"atomic_add_4", [](Byte* m, Byte*) { __atomic_fetch_add(&as<int>(m), 1, __ATOMIC_ACQ_REL); }},
    {"atomic_exchange_8",
     [](Byte* m, Byte*) { __atomic_exchange_n(&as<long>(m), 1L, __ATOMIC_SEQ_CST); }},
    {"atomic_compare_exchange_8",
     [](Byte* m, Byte* l) {
       __atomic_compare_exchange_n(&as<long>(m), &as<long>(l), 1L, false, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED);
     }},
    {"std_atomic_reference", [](Byte* m, Byte*) { std::atomic_ref<int>(as<int>(m)).fetch_or(1); }},
    {"kohort_atomic", [](Byte* m, Byte*) { atomic_max(&as<int>(m), 3); }},
};

class WayToTouchMemory : public ::testing::TestWithParam<Way> {};

/// Thread 0 touches, thread 1 writes the first byte plainly; the other order is the same race.
std::string verdict(Way const& way, bool together) {
  using Policy = ClusterPolicy<Simulator>;
  Simulator const target({.mode = "check", .workers = 1});
  Buffer<unsigned char, Simulator> const memory(target, 2 * touched_bytes);
  deep_copy(memory, static_cast<unsigned char>(0));
  unsigned char* const bytes = memory.data();
  auto* const touch = way.touch;
  try {
    parallel_for("touches", Policy(target, 1, 2), [=](Policy::member_type const& member) {
      alignas(64) unsigned char local[touched_bytes] = {};
      if (member.team_rank() == 0) {
        touch(bytes, local);
      } else {
        bytes[together ? 0 : touched_bytes] = 1;
      }
    });
    return "";
  } catch (Finding const& finding) {
    return finding.id();
  }
}

TEST_P(WayToTouchMemory, IsSeen) { EXPECT_EQ(verdict(GetParam(), true), "race-global"); }

TEST_P(WayToTouchMemory, ReachesNoFurtherThanItsBytes) {
  EXPECT_EQ(verdict(GetParam(), false), "");
}

std::string name_of(::testing::TestParamInfo<Way> const& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Of, WayToTouchMemory, ::testing::ValuesIn(ways), name_of);

void race(std::string const& on_fault) {
  using Policy = ClusterPolicy<Simulator>;
  Simulator const target({.mode = "check", .check = on_fault, .workers = 1});
  Buffer<int, Simulator> const cell(target, 1);
  int* const memory = cell.data();
  parallel_for("races", Policy(target, 3, 2), [=](Policy::member_type const&) { *memory = 1; });
}

TEST(OnFault, LogPrintsEveryClustersAndGoesOn) {
  ::testing::internal::CaptureStderr();
  EXPECT_NO_THROW(race("log"));
  std::string const printed = ::testing::internal::GetCapturedStderr();
  for (char const* const cluster : {"cluster 0 of 3", "cluster 1 of 3", "cluster 2 of 3"})
    EXPECT_NE(printed.find(cluster), std::string::npos) << printed;
}

TEST(OnFault, ThrowIsTheFirstClusters) {
  try {
    race("throw");
    FAIL() << "nothing was found";
  } catch (Finding const& finding) {
    EXPECT_EQ(finding.cluster(), 0);
  }
}

TEST(OnFaultDeathTest, AbortPrintsAndEnds) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(race("abort"), "race-global");
}

TEST(OnFault, RefusesAWordThatItDoesNotKnow) { EXPECT_THROW(race("shout"), std::invalid_argument); }

}  // namespace
}  // namespace kohort::detect
