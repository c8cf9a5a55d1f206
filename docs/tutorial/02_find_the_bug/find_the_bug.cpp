// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Step 2: a kernel that is right by luck, a mend that is wrong, and one that holds.
#include <kohort/kohort.hpp>
#include <kohort/testing/explore.hpp>

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

constexpr int team_size = 64;
constexpr int cluster_size = 4;
constexpr int steps = 2;

/// What stands between reading the neighbour's tile and overwriting one's own.
struct Nothing {
  template <class Member>
  KOHORT_FUNCTION void operator()(Member const&) const {}
};

struct BarrierInTheBranch {
  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    if (member.cluster_rank() + 1 < member.cluster_size()) member.cluster_barrier();
  }
};

struct BarrierForAll {
  template <class Member>
  KOHORT_FUNCTION void operator()(Member const& member) const {
    member.cluster_barrier();
  }
};

/// Moves a row to the left, from team to team, `steps` times; zeros come in from the right.
template <class Target, class Between>
void shift_left(Target const& target, int const* in, int* out, Between between) {
  using Policy = kohort::ClusterPolicy<Target, kohort::ClusterDims<cluster_size>,
                                       kohort::ClusterScratch<int[team_size]>>;
  kohort::parallel_for(
      "shift_left", Policy(target, cluster_size, team_size),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        int const thread = member.team_rank();
        int const element = member.cluster_rank() * team_size + thread;
        auto tile = member.cluster_scratch();
        tile[thread] = in[element];
        member.cluster_barrier();
        for (int step = 0; step < steps; ++step) {
          int const right = member.cluster_rank() + 1;
          int const value = right < cluster_size ? member.peer(tile, right)[thread] : 0;
          between(member);
          tile[thread] = value;
          member.cluster_barrier();
        }
        out[element] = tile[thread];
      });
}

/// Shifts the numbers 1, 2, … on a simulated device; tells whether all arrived where they should.
template <class Between>
bool shifts_right_numbers(Between between) {
  kohort::Simulator const target;
  std::vector<int> row(cluster_size * team_size);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<int>(i) + 1;
  std::vector<int> shifted(row.size());
  shift_left(target, row.data(), shifted.data(), between);
  for (std::size_t i = 0; i < row.size(); ++i) {
    std::size_t const from = i + steps * team_size;
    if (shifted[i] != (from < row.size() ? row[from] : 0)) return false;
  }
  return true;
}

/// A report quotes the command that was typed; it is printed without its folder, so that it is the
/// same text on every machine.
template <class Between>
void try_all_schedules(char const* what, Between between, std::string const& program) {
  std::ostringstream text;
  text << kohort::testing::explore([&] { return shifts_right_numbers(between); });
  std::string report = text.str();
  std::size_t const at = report.find(program);
  if (at != std::string::npos) report.replace(at, program.size(), "./find_the_bug");
  std::printf("\n%s, under the ladder of schedules\n%s\n", what, report.c_str());
}

int main(int, char** arguments) {
  std::string const program = arguments[0];
  std::printf("no barrier, under the usual schedule\n%s\n",
              shifts_right_numbers(Nothing{}) ? "all numbers are right" : "some numbers are wrong");
  try_all_schedules("no barrier", Nothing{}, program);
  try_all_schedules("a barrier in the branch", BarrierInTheBranch{}, program);
  try_all_schedules("a barrier for all", BarrierForAll{}, program);
}
