// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <kohort/simulator/placement.hpp>
#include <kohort/simulator/profile.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace kohort::simulator {
namespace {

/// A right profile to damage. Every value is used by some rule of the parser.
std::string const valid_text = R"(name = "toy"
title = "A toy"
vendor = "none"
provenance = "invented"
memory_kind = "memory"
memory_bandwidth_kind = "peak"
sm_count = { value = 10, source = "here" }
sm_groups = { value = [4, 6], source = "here" }
subgroup_size = { value = 4, source = "here" }
max_threads_per_team = { value = 64, source = "here" }
max_threads_per_sm = { value = 128, source = "here" }
max_teams_per_sm = { value = 3, source = "here" }
registers_per_sm = { value = 4096, source = "here" }
register_unit = { value = 8, source = "here" }
scratch_bytes_per_sm = { value = 4096, source = "here" }
max_scratch_bytes_per_team = { value = 3968, source = "here" }
reserved_scratch_bytes_per_team = { value = 128, source = "here" }
scratch_unit_bytes = { value = 64, source = "here" }
max_portable_cluster = { value = 2, source = "here" }
max_nonportable_cluster = { value = 5, source = "here" }
has_dsmem = { value = true, source = "here" }
has_multicast = { value = true, source = "here" }
has_work_queue = { value = false, source = "here" }
has_pair_mma = { value = true, source = "here" }
l2_bytes = { value = 65536, source = "here" }
l2_is_per_group = { value = false, source = "here" }
memory_bandwidth_tb_s = { value = 0.5, source = "here" }
clock_mhz = { value = 1000, source = "here" }
)";

int lines_of(std::string const& text) {
  int lines = 1;
  for (char const c : text) lines += c == '\n';
  return lines;
}

/// What the simulator relies on, stated independently of the parser.
void assert_usable(DeviceProfile const& profile) {
  RC_ASSERT(!profile.sm_groups.empty());
  for (int const sms : profile.sm_groups) RC_ASSERT(sms >= 1);
  RC_ASSERT(profile.subgroup_size >= 1 && profile.subgroup_size <= 64);
  RC_ASSERT((profile.subgroup_size & (profile.subgroup_size - 1)) == 0);
  RC_ASSERT(profile.max_portable_cluster >= 1);
  RC_ASSERT(profile.max_portable_cluster <= profile.max_nonportable_cluster);
  RC_ASSERT(teams_per_sm(profile, profile.max_threads_per_team, 0) >= 1);
  RC_ASSERT(teams_per_sm(profile, 1, profile.max_scratch_bytes_per_team) >= 1);
  RC_ASSERT(Placement(profile, 1, profile.max_nonportable_cluster).resident_limit() >= 1);
}

/// Any text gives a usable profile, or a ProfileError at a line of that text; nothing else.
/// Returns whether it was a profile.
bool parse_or_refuse(std::string const& text) {
  try {
    assert_usable(parse_profile(text, "fuzz.toml"));
    return true;
  } catch (ProfileError const& error) {
    RC_ASSERT(error.file() == "fuzz.toml");
    RC_ASSERT(error.line() >= 1);
    RC_ASSERT(error.line() <= lines_of(text));
    RC_ASSERT(std::string(error.what()).size() > std::string("fuzz.toml:1: ").size());
    return false;
  }
}

TEST(ProfileFuzz, StartsFromAProfileThatIsRight) { EXPECT_TRUE(parse_or_refuse(valid_text)); }

RC_GTEST_PROP(ProfileFuzz, SurvivesAnyBytes, (std::string const& text)) { parse_or_refuse(text); }

RC_GTEST_PROP(ProfileFuzz, SurvivesAnyTokens, ()) {
  auto const tokens = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "name", "sm_groups", "value", "source", "=", "{", "}", "[", "]", "[[", "]]", ",", ".", "\"",
      "\"\"\"", "'", "\\u001b", "#", "\n", "\r", "0x", "1e999", "-1", "9223372036854775808", "inf",
      "nan", "true", "1979-05-27T07:32:00Z", "\xef\xbb\xbf", "\xff", " "));
  std::string text;
  for (std::string const& token : tokens) text += token;
  parse_or_refuse(text);
}

RC_GTEST_PROP(ProfileFuzz, SurvivesBytesChangedInARightProfile, ()) {
  std::string text = valid_text;
  int const changes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < changes; ++i) {
    auto const at = *rc::gen::inRange<std::size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        text[at] = *rc::gen::arbitrary<char>();
        break;
      case 1:
        text.erase(at, *rc::gen::inRange<std::size_t>(1, 30));
        break;
      default:
        text.insert(at, 1, *rc::gen::arbitrary<char>());
    }
    if (text.empty()) break;
  }
  parse_or_refuse(text);
}

RC_GTEST_PROP(ProfileFuzz, AcceptsANumberOnlyIfTheProfileStaysUsable, ()) {
  std::string text = valid_text;
  std::vector<std::size_t> places;
  constexpr std::string_view mark = "{ value = ";
  for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    places.push_back(at + mark.size());
  }
  std::size_t const at = *rc::gen::elementOf(places);
  long long const value =
      *rc::gen::oneOf(rc::gen::inRange<long long>(-2, 300),
                      rc::gen::inRange<long long>(0, 1LL << 40), rc::gen::arbitrary<long long>());
  text.replace(at, text.find(", source", at) - at, std::to_string(value));
  RC_CLASSIFY(parse_or_refuse(text), "accepted");
}

TEST(ProfileFuzz, RefusesDeepNestingWithoutOverflowingTheStack) {
  for (std::string const& opening : {std::string("["), std::string("{a=")}) {
    std::string text = "name = ";
    for (int i = 0; i < 100000; ++i) text += opening;
    EXPECT_FALSE(parse_or_refuse(text));
  }
}

}  // namespace
}  // namespace kohort::simulator
