// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <kohort/simulator/profile.hpp>
#include <string>
#include <thread>
#include <vector>

namespace kohort::simulator {
namespace {

/// A complete profile, one key a line, so that a test can change one of them.
std::vector<std::string> const valid_lines = {
    R"(name = "toy")",
    R"(title = "A toy")",
    R"(vendor = "none")",
    R"(provenance = "invented")",
    R"(memory_kind = "memory")",
    R"(memory_bandwidth_kind = "peak")",
    R"(sm_count = { value = 10, source = "here" })",
    R"(sm_groups = { value = [4, 6], source = "here" })",
    R"(subgroup_size = { value = 4, source = "here" })",
    R"(max_threads_per_team = { value = 64, source = "here" })",
    R"(max_threads_per_sm = { value = 128, source = "here" })",
    R"(max_teams_per_sm = { value = 3, source = "here" })",
    R"(registers_per_sm = { value = 4096, source = "here" })",
    R"(register_unit = { value = 8, source = "here" })",
    R"(scratch_bytes_per_sm = { value = 4096, source = "here" })",
    R"(max_scratch_bytes_per_team = { value = 3968, source = "here" })",
    R"(reserved_scratch_bytes_per_team = { value = 128, source = "here" })",
    R"(scratch_unit_bytes = { value = 64, source = "here" })",
    R"(max_portable_cluster = { value = 2, source = "here" })",
    R"(max_nonportable_cluster = { value = 5, source = "here" })",
    R"(has_dsmem = { value = true, source = "here" })",
    R"(has_multicast = { value = true, source = "here" })",
    R"(has_work_queue = { value = false, source = "here" })",
    R"(has_pair_mma = { value = true, source = "here" })",
    R"(l2_bytes = { value = 65536, source = "here" })",
    R"(l2_is_per_group = { value = false, source = "here" })",
    R"(memory_bandwidth_tb_s = { value = 0.5, source = "here" })",
    R"(clock_mhz = { value = 1000, source = "here" })",
};

std::string key_of(std::string const& line) { return line.substr(0, line.find(' ')); }

/// Line number of `key` in valid_lines, from 1; 0 if it is not there.
int line_of(std::string const& key) {
  for (std::size_t i = 0; i < valid_lines.size(); ++i) {
    if (key_of(valid_lines[i]) == key) return static_cast<int>(i) + 1;
  }
  return 0;
}

std::string join(std::vector<std::string> const& lines) {
  std::string text;
  for (std::string const& line : lines) text += line + "\n";
  return text;
}

/// The complete profile, with the line of `key` replaced.
std::string with(std::string const& key, std::string const& line) {
  std::vector<std::string> lines = valid_lines;
  lines.at(static_cast<std::size_t>(line_of(key) - 1)) = line;
  return join(lines);
}

std::string with_value(std::string const& key, std::string const& value) {
  return with(key, key + " = { value = " + value + ", source = \"here\" }");
}

/// Expects a refusal at the line of `key` that says `expected`.
void expect_refused(std::string const& text, std::string const& key, std::string const& expected,
                    int line) {
  try {
    parse_profile(text, "toy.toml");
    FAIL() << "accepted, though " << key << " is wrong: " << expected;
  } catch (ProfileError const& error) {
    EXPECT_EQ(error.file(), "toy.toml");
    EXPECT_EQ(error.key(), key) << error.what();
    EXPECT_EQ(error.line(), line) << error.what();
    std::string const place = "toy.toml:" + std::to_string(line) + ": " + key + ": ";
    EXPECT_EQ(std::string(error.what()).substr(0, place.size()), place);
    EXPECT_NE(std::string(error.what()).find(expected), std::string::npos)
        << error.what() << "\n  does not say: " << expected;
  }
}

void expect_value_refused(std::string const& key, std::string const& value,
                          std::string const& expected) {
  SCOPED_TRACE(key + " = " + value);
  expect_refused(with_value(key, value), key, expected, line_of(key));
}

TEST(ParseProfile, ReadsEveryKey) {
  DeviceProfile const profile = parse_profile(join(valid_lines), "toy.toml");
  EXPECT_EQ(profile.name, "toy");
  EXPECT_EQ(profile.title, "A toy");
  EXPECT_EQ(profile.vendor, "none");
  EXPECT_EQ(profile.provenance, "invented");
  EXPECT_EQ(profile.source_file, "toy.toml");
  EXPECT_EQ(profile.sm_groups, (std::vector<int>{4, 6}));
  EXPECT_EQ(profile.sm_count(), 10);
  EXPECT_EQ(profile.subgroup_size, 4);
  EXPECT_EQ(profile.max_threads_per_team, 64);
  EXPECT_EQ(profile.max_threads_per_sm, 128);
  EXPECT_EQ(profile.max_teams_per_sm, 3);
  EXPECT_EQ(profile.registers_per_sm, 4096);
  EXPECT_EQ(profile.register_unit, 8);
  EXPECT_EQ(profile.scratch_bytes_per_sm, 4096);
  EXPECT_EQ(profile.max_scratch_bytes_per_team, 3968);
  EXPECT_EQ(profile.reserved_scratch_bytes_per_team, 128);
  EXPECT_EQ(profile.scratch_unit_bytes, 64);
  EXPECT_EQ(profile.max_portable_cluster, 2);
  EXPECT_EQ(profile.max_nonportable_cluster, 5);
  EXPECT_TRUE(profile.has_dsmem);
  EXPECT_TRUE(profile.has_multicast);
  EXPECT_FALSE(profile.has_work_queue);
  EXPECT_TRUE(profile.has_pair_mma);
  EXPECT_EQ(profile.l2_bytes, 65536);
  EXPECT_EQ(profile.memory_kind, "memory");
  EXPECT_EQ(profile.memory_bandwidth_tb_s, 0.5);
  EXPECT_EQ(profile.memory_bandwidth_kind, "peak");
  EXPECT_EQ(profile.clock_mhz, 1000);
}

TEST(ParseProfile, TakesAWholeNumberForABandwidth) {
  EXPECT_EQ(parse_profile(with_value("memory_bandwidth_tb_s", "8"), "").memory_bandwidth_tb_s, 8);
}

TEST(ParseProfile, ReportsTextThatIsNotToml) {
  try {
    parse_profile("name = \"toy\"\ntitle = \n", "toy.toml");
    FAIL() << "accepted a key without a value";
  } catch (ProfileError const& error) {
    EXPECT_EQ(error.line(), 2);
    EXPECT_EQ(std::string(error.what()).rfind("toy.toml:2: not valid TOML: ", 0), 0u)
        << error.what();
  }
}

TEST(ParseProfile, ReportsEveryMissingKeyAtTheLastLine) {
  for (std::size_t i = 0; i < valid_lines.size(); ++i) {
    std::vector<std::string> lines = valid_lines;
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
    expect_refused(join(lines), key_of(valid_lines[i]), "missing; expected",
                   static_cast<int>(lines.size()));
  }
}

TEST(ParseProfile, ReportsAnUnknownKeyBeforeTheOneItReplaces) {
  expect_refused(with("clock_mhz", "clock_hmz = { value = 1000, source = \"here\" }"), "clock_hmz",
                 "unknown key; expected one of clock_mhz, has_dsmem", line_of("clock_mhz"));
}

TEST(ParseProfile, WantsASourceBesideEveryNumberAndCapability) {
  int sourced = 0;
  for (std::string const& line : valid_lines) {
    std::size_t const at = line.find(", source");
    if (at == std::string::npos) continue;
    ++sourced;
    std::string const key = key_of(line);
    SCOPED_TRACE(key);
    std::string const value = line.substr(0, at);
    expect_refused(with(key, value + " }"), key, "has no source", line_of(key));
    expect_refused(with(key, value + ", source = \"\" }"), key, "has no source", line_of(key));
    expect_refused(with(key, value + ", source = \" \" }"), key, "has no source", line_of(key));
    expect_refused(with(key, value + ", source = 3 }"), key, "has no source", line_of(key));
    expect_refused(with(key, key + " = { source = \"here\" }"), key, "has no value", line_of(key));
    expect_refused(with(key, value + ", source = \"here\", unit = \"m\" }"), key,
                   "has the unknown part \"unit\"", line_of(key));
  }
  EXPECT_EQ(sourced, 22);
}

TEST(ParseProfile, RefusesABareNumber) {
  expect_refused(with("clock_mhz", "clock_mhz = 1000"), "clock_mhz",
                 "is an integer; expected { value = ..., source", line_of("clock_mhz"));
}

TEST(ParseProfile, RefusesWrongTypes) {
  expect_value_refused("subgroup_size", "\"4\"", "is a string; expected an integer from 1 to 64");
  expect_value_refused("subgroup_size", "4.0", "is a real number; expected an integer");
  expect_value_refused("subgroup_size", "[4]", "is a list; expected an integer");
  expect_value_refused("l2_bytes", "1979-05-27", "is a date or time; expected an integer");
  expect_value_refused("has_dsmem", "1", "is an integer; expected true or false");
  expect_value_refused("memory_bandwidth_tb_s", "true", "is a boolean; expected a number");
  expect_value_refused("sm_groups", "10", "is an integer; expected a list of 1 to");
  expect_value_refused("sm_groups", "[4, true]", "contains a boolean; expected a list");
  expect_refused(with("title", "title = 3"), "title", "is an integer; expected a string",
                 line_of("title"));
}

TEST(ParseProfile, RefusesValuesOutOfRange) {
  expect_value_refused("subgroup_size", "0", "is 0; expected an integer from 1 to 64");
  expect_value_refused("subgroup_size", "128", "is 128; expected an integer from 1 to 64");
  expect_value_refused("max_teams_per_sm", "-1", "is -1; expected");
  expect_value_refused("registers_per_sm", "9223372036854775807", "expected an integer from 1");
  expect_value_refused("sm_groups", "[]", "has 0 entries");
  expect_value_refused("sm_groups", "[10, 0]", "contains 0");
  expect_value_refused("memory_bandwidth_tb_s", "0.0", "is 0; expected a number above 0");
  // An integer that no double holds exactly: once an exception of another kind.
  expect_value_refused("memory_bandwidth_tb_s", "9007199254740993", "expected a number above 0");
  expect_value_refused("memory_bandwidth_tb_s", "nan", "is nan; expected a number above 0");
  expect_value_refused("memory_bandwidth_tb_s", "inf", "is inf; expected a number above 0");
  expect_refused(with("provenance", "provenance = \"guessed\""), "provenance",
                 "is \"guessed\"; expected one of measured, published, invented",
                 line_of("provenance"));
  expect_refused(with("title", "title = \"\""), "title", "is empty", line_of("title"));
  expect_refused(with("title", "title = \"\\u001b[2J\""), "title", "control characters",
                 line_of("title"));
  expect_refused(with("name", "name = \"a/b\""), "name", "expected small letters, digits and '-'",
                 line_of("name"));
}

TEST(ParseProfile, RefusesContradictions) {
  expect_value_refused("sm_count", "11", "is 11, but sm_groups add up to 10");
  expect_value_refused("subgroup_size", "6", "is 6; expected a power of two from 1 to 64");
  expect_value_refused("max_threads_per_team", "66", "expected a multiple of subgroup_size, 4");
  expect_value_refused("max_threads_per_team", "132", "expected at most max_threads_per_sm, 128");
  expect_value_refused("max_scratch_bytes_per_team", "3969",
                       "is 3969, 4032 in units of scratch_unit_bytes; expected at most 3968");
  expect_value_refused("max_portable_cluster", "6", "expected at most max_nonportable_cluster, 5");
  expect_value_refused("max_nonportable_cluster", "7",
                       "expected at most the SMs of the largest of sm_groups, 6");
  expect_refused(with_value("has_dsmem", "false"), "has_multicast",
                 "is true; expected false where has_dsmem is false", line_of("has_multicast"));
}

TEST(ParseProfile, RefusesCapabilitiesThatNeedClustersWhereThereAreNone) {
  std::string const no_clusters =
      "max_portable_cluster = { value = 1, source = \"here\" }\n"
      "max_nonportable_cluster = { value = 1, source = \"here\" }\n";
  std::vector<std::string> lines = valid_lines;
  std::erase_if(lines, [](auto const& line) { return line.find("portable") != line.npos; });
  std::string const text = no_clusters + join(lines);
  expect_refused(text, "has_dsmem", "expected false where max_nonportable_cluster is 1",
                 line_of("has_dsmem"));
}

TEST(FindProfile, HasTheDevicesThatTheDocumentationNames) {
  EXPECT_EQ(builtin_profile_names(),
            (std::vector<std::string>{"a100", "b200", "h100-sxm", "h200-sxm", "mi300x", "mi350x",
                                      "mi350x-cpx", "mi350x-dpx", "tiny"}));
}

TEST(FindProfile, GivesEachBuiltInProfileUnderItsOwnName) {
  for (std::string const& name : builtin_profile_names()) {
    EXPECT_EQ(find_profile(name).name, name);
    EXPECT_EQ(find_profile(name).source_file, name + ".toml (built in)");
  }
}

TEST(FindProfile, KnowsTheDevices) {
  DeviceProfile const& h200 = find_profile("h200-sxm");
  EXPECT_EQ(h200.sm_count(), 132);
  EXPECT_EQ(h200.max_scratch_bytes_per_team, 232448);
  EXPECT_EQ(h200.max_nonportable_cluster, 16);
  EXPECT_FALSE(h200.has_work_queue);
  EXPECT_TRUE(find_profile("b200").has_work_queue);
  EXPECT_EQ(find_profile("b200").sm_count(), 148);
  EXPECT_EQ(find_profile("mi350x").subgroup_size, 64);
  EXPECT_EQ(find_profile("mi350x").max_nonportable_cluster, 1);
  EXPECT_EQ(find_profile("a100").max_nonportable_cluster, 1);
  EXPECT_EQ(find_profile("tiny").sm_groups, (std::vector<int>{4, 4}));
  EXPECT_EQ(find_profile("tiny").provenance, "invented");
}

TEST(FindProfile, ListsWhatThereIsForAnUnknownName) {
  try {
    find_profile("h20");
    FAIL() << "found a profile that does not exist";
  } catch (ProfileError const& error) {
    EXPECT_STREQ(error.what(),
                 "profile \"h20\": not built in; expected one of a100, b200, h100-sxm, h200-sxm, "
                 "mi300x, mi350x, mi350x-cpx, mi350x-dpx, tiny, or the path of a TOML file (with a "
                 "'/' in it, or ending in .toml)");
  }
}

/// A file in the temporary folder that goes with the test.
class TemporaryFile {
 public:
  TemporaryFile(std::string const& name, std::string const& text)
      : path_(std::filesystem::temp_directory_path() /
              ("kohort_" + std::to_string(::getpid()) + "_" + name)) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(FindProfile, ReadsAFile) {
  TemporaryFile const file("toy.toml", join(valid_lines));
  DeviceProfile const& profile = find_profile(file.path());
  EXPECT_EQ(profile.name, "toy");
  EXPECT_EQ(profile.source_file, file.path());
}

TEST(FindProfile, ReportsAWrongFileByItsPathAndReadsItAnewOnceItIsMended) {
  TemporaryFile const file("wrong.toml", with_value("clock_mhz", "0"));
  try {
    find_profile(file.path());
    FAIL() << "accepted a clock of 0";
  } catch (ProfileError const& error) {
    std::string const place =
        file.path() + ":" + std::to_string(line_of("clock_mhz")) + ": clock_mhz: is 0; expected";
    EXPECT_EQ(std::string(error.what()).rfind(place, 0), 0u) << error.what();
  }
  std::ofstream(file.path()) << join(valid_lines);
  EXPECT_EQ(find_profile(file.path()).clock_mhz, 1000);
}

TEST(FindProfile, ReportsAFileThatCannotBeRead) {
  EXPECT_THROW(find_profile("no/such/file.toml"), ProfileError);
  EXPECT_THROW(find_profile(std::filesystem::temp_directory_path().string() + "/"), ProfileError);
  TemporaryFile const file("large.toml", std::string((1 << 20) + 1, '#'));
  EXPECT_THROW(find_profile(file.path()), ProfileError);
}

TEST(FindProfile, GivesAllThreadsTheSameObject) {
  std::vector<DeviceProfile const*> found(8);
  std::vector<std::thread> threads;
  for (DeviceProfile const*& profile : found) {
    threads.emplace_back([&profile] { profile = &find_profile("h100-sxm"); });
  }
  for (std::thread& thread : threads) thread.join();
  for (DeviceProfile const* profile : found) EXPECT_EQ(profile, &find_profile("h100-sxm"));
}

}  // namespace
}  // namespace kohort::simulator
