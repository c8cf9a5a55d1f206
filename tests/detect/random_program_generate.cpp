// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace kohort::detect {
namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) { program_.seed = seed; }

  Program make() {
    choose_shape();
    // Racy programs and orderly ones: the more barriers, the fewer races.
    barrier_share_ = below(10);
    actors_ = 1 << below(5);
    hot_bytes_ = 4 << below(4);
    has_atomics_ = below(3) == 0;
    int const phases = 1 + below(8);
    for (int i = 0; i < phases; ++i) program_.phases.push_back(phase());
    return program_;
  }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }

  void choose_shape() {
    static constexpr int shapes[][3] = {{1, 1, 1}, {2, 1, 1}, {4, 1, 1}, {1, 2, 2},
                                        {2, 2, 1}, {3, 1, 1}, {2, 2, 2}, {1, 1, 4}};
    bool const tiny = below(2) == 0;
    program_.profile = tiny ? "tiny" : "h200-sxm";
    program_.subgroup_lanes = tiny ? 4 : 32;
    int const* shape = nullptr;
    do {
      shape = shapes[below(8)];
    } while (tiny && shape[0] * shape[1] * shape[2] > 4);
    std::copy(shape, shape + 3, program_.extents);
    program_.clusters = below(3) == 0 ? 2 : 1;
    static constexpr int sizes[] = {1, 2, 3, 4, 8, 12, 16, 33, 40};
    program_.threads = sizes[below(program_.teams() > 4 ? 6 : 9)];
    program_.manual_lifetime = program_.teams() > 1 && below(4) == 0;
    static constexpr char const* schedules[] = {"rank",         "reverse",  "last:0", "last:1",
                                                "exit-first:0", "random:5", "pct:3:2"};
    program_.schedule = std::string("serial:") + schedules[below(7)];
  }

  Phase phase() {
    Phase phase;
    phase.actions = actions(actors_);
    choose_synchronisation(phase);
    if (phase.synchronisation == Synchronisation::split_barrier)
      phase.between = actions(1 + actors_ / 4);
    if (program_.manual_lifetime && below(6) == 0) {
      phase.leaving = 1U << below(program_.teams());
      gone_ |= phase.leaving;
    }
    return phase;
  }

  void choose_synchronisation(Phase& phase) {
    if (below(10) >= barrier_share_ + 2) return;
    using enum Synchronisation;
    static constexpr Synchronisation all[] = {team_barrier,    team_barrier,  subgroup_barrier,
                                              tile_barrier,    named_barrier, cluster_barrier,
                                              cluster_barrier, split_barrier, split_barrier};
    phase.synchronisation = all[below(9)];
    phase.teams = below(2) == 0 ? ~0U : static_cast<std::uint32_t>(below(256));
    phase.relaxed = below(2) == 0 ? 0 : static_cast<std::uint32_t>(below(256));
    if (below(4) == 0) phase.relaxed = ~0U;
    phase.tile_lanes = below(2) == 0 ? 2 : 4;
    int const whole = program_.threads / program_.subgroup_lanes;
    // The count is the id too, and ids end at 7.
    phase.named_subgroups = whole > 0 ? 1 + below(whole < 7 ? whole : 7) : 1;
    bool const has_whole = program_.threads % program_.subgroup_lanes == 0;
    if (phase.synchronisation == tile_barrier && program_.threads % 4 != 0)
      phase.synchronisation = team_barrier;
    if (phase.synchronisation == named_barrier && !has_whole) phase.synchronisation = team_barrier;
  }

  std::vector<std::vector<Action>> actions(int actors) {
    int const league = program_.teams() * program_.clusters * program_.threads;
    std::vector<std::vector<Action>> all(static_cast<std::size_t>(league));
    for (std::vector<Action>& mine : all) {
      // Few act in a large league: pairs that race should be rare enough to be told apart.
      if (below(league) >= actors) continue;
      int const count = 1 + below(3);
      for (int i = 0; i < count; ++i) mine.push_back(action());
    }
    return all;
  }

  Action action() {
    Action action;
    action.space = static_cast<Space>(below(3));
    if (action.space == Space::cluster_scratch) {
      action.peer = below(program_.teams());
      // Under ManualLifetime nobody touches the memory of a team that is gone.
      while (((gone_ >> action.peer) & 1U) != 0 && below(8) != 0)
        action.peer = below(program_.teams());
    }
    if (has_atomics_ && below(2) == 0) {
      static constexpr Operation atomics[] = {Operation::load, Operation::store, Operation::add,
                                              Operation::compare_exchange, Operation::fence};
      action.operation = atomics[below(5)];
      action.bytes = below(3) == 0 ? 8 : 4;
      action.offset = below(2) * 8;
      action.scope = static_cast<Scope>(below(4));
      action.order = static_cast<MemoryOrder>(below(5));
      return action;
    }
    action.operation = below(2) == 0 ? Operation::read : Operation::write;
    action.bytes = below(2) == 0 ? 1 << below(5) : 1 + below(16);
    int const range = std::min(hot_bytes_, arena_bytes - action.bytes) + 1;
    action.offset = below(range);
    bool const is_power = (action.bytes & (action.bytes - 1)) == 0;
    if (is_power) action.offset -= action.offset % action.bytes;
    return action;
  }

  std::mt19937_64 random_;
  Program program_;
  int barrier_share_ = 0;
  int actors_ = 1;  ///< threads that do something in a phase, about
  int hot_bytes_ = 4;
  bool has_atomics_ = false;
  std::uint32_t gone_ = 0;
};

}  // namespace

Program random_program(std::uint64_t seed) { return Generator(seed).make(); }

std::string describe(Program const& program) {
  return fmt::format("seed {}: {} clusters of {}x{}x{} teams of {} threads on {}, schedule {}{}",
                     program.seed, program.clusters, program.extents[0], program.extents[1],
                     program.extents[2], program.threads, program.profile, program.schedule,
                     program.manual_lifetime ? ", ManualLifetime" : "");
}

}  // namespace kohort::detect
