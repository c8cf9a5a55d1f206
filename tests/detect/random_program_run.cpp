// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_program.hpp"

#include <cstring>

namespace kohort::detect {
namespace {

struct Scratch {
  alignas(16) unsigned char bytes[arena_bytes];
};

/// Notes what the checker says beside the log's position.
class Listener : public simulator::Observer {
 public:
  explicit Listener(Run& run) : run_(run) {}

  void access_fault(simulator::Thread const& thread,
                    simulator::AccessFaultEvent const& fault) override {
    Verdict verdict;
    // A plain access is noted before it is made, an atomic, which may let others go first, after.
    verdict.event = run_.events.size() - (fault.is_atomic ? 0 : 1);
    verdict.id = fault.id;
    verdict.granule = reinterpret_cast<std::uintptr_t>(fault.address) / 4;
    verdict.earlier_cluster = fault.earlier_cluster;
    verdict.earlier_team = fault.earlier_team;
    verdict.earlier_thread = fault.earlier_thread;
    verdict.cluster = thread.team->cluster->index;
    verdict.team = fault.team;
    verdict.thread = fault.thread;
    verdict.peer = fault.peer;
    run_.verdicts.push_back(verdict);
  }

 private:
  Run& run_;
};

/// One thread's way through a program.
template <class Member>
class Interpreter {
 public:
  Interpreter(Member const& member, Program const& program, Run& run, unsigned char* global)
      : member_(member), program_(program), run_(run), global_(global) {}

  void operator()() {
    for (Phase const& phase : program_.phases) {
      ++phase_;
      act(phase.actions);
      synchronise(phase);
      if (((phase.leaving >> member_.cluster_rank()) & 1U) != 0) break;
    }
    note(Event::Kind::returned);
  }

 private:
  Event& note(Event::Kind kind) {
    Event event;
    event.kind = kind;
    event.cluster = member_.cluster_league_rank();
    event.team = member_.cluster_rank();
    event.thread = member_.team_rank();
    run_.events.push_back(event);
    return run_.events.back();
  }
  void note_barrier(Event::Kind kind, bool leaves, int group = 0) {
    Event& event = note(kind);
    event.leaves = leaves;
    event.generation = phase_;
    event.group = group;
  }

  void synchronise(Phase const& phase) {
    bool const comes = ((phase.teams >> member_.cluster_rank()) & 1U) != 0;
    bool const relaxed = ((phase.relaxed >> member_.cluster_rank()) & 1U) != 0;
    switch (phase.synchronisation) {
      case Synchronisation::none:
        break;
      case Synchronisation::team_barrier:
        if (comes) team_barrier();
        break;
      case Synchronisation::subgroup_barrier:
        if (comes) meet(member_.subgroup_rank(), [&] { member_.subgroup_barrier(); });
        break;
      case Synchronisation::tile_barrier:
        if (comes) tile_barrier(phase.tile_lanes);
        break;
      case Synchronisation::named_barrier:
        if (comes && member_.subgroup_rank() < phase.named_subgroups)
          // An id of its own for each count: some subgroups come to the next one early.
          meet(1000 + phase.named_subgroups,
               [&] { member_.named_barrier(phase.named_subgroups, phase.named_subgroups); });
        break;
      case Synchronisation::cluster_barrier:
        cluster_barrier({}, false);
        break;
      case Synchronisation::split_barrier:
        cluster_barrier(phase.between, relaxed);
        break;
    }
  }

  void team_barrier() {
    note_barrier(Event::Kind::team_barrier, false);
    member_.team_barrier();
    note_barrier(Event::Kind::team_barrier, true);
  }

  template <class Barrier>
  void meet(int group, Barrier const& barrier) {
    note_barrier(Event::Kind::meeting, false, group);
    barrier();
    note_barrier(Event::Kind::meeting, true, group);
  }

  void tile_barrier(int lanes) {
    int const group = 2000 + member_.team_rank() / lanes;
    if (lanes == 2) {
      meet(group, [&] { member_.template subgroup_tile<2>().barrier(); });
    } else {
      meet(group, [&] { member_.template subgroup_tile<4>().barrier(); });
    }
  }

  void cluster_barrier(std::vector<std::vector<Action>> const& between, bool relaxed) {
    if (program_.teams() == 1) {
      // A cluster of one passes a team barrier instead, at the wait.
      act(between);
      note_barrier(Event::Kind::team_barrier, false);
      member_.cluster_barrier();
      note_barrier(Event::Kind::team_barrier, true);
      return;
    }
    auto const kind = relaxed ? Event::Kind::arrive_relaxed : Event::Kind::arrive;
    // Two statements, since each is a barrier of its own to the simulator: all threads of a team
    // choose alike.
    if (relaxed) {
      note_barrier(kind, false);
      auto token = member_.cluster_arrive_relaxed();
      act(between);
      member_.cluster_wait(std::move(token));
    } else {
      note_barrier(kind, false);
      auto token = member_.cluster_arrive();
      act(between);
      member_.cluster_wait(std::move(token));
    }
    note_barrier(Event::Kind::wait, true);
  }

  void act(std::vector<std::vector<Action>> const& actions) {
    if (actions.empty()) return;
    auto const thread =
        static_cast<std::size_t>(member_.league_rank() * member_.team_size() + member_.team_rank());
    for (Action const& action : actions[thread]) act(action);
  }

  unsigned char* memory(Action const& action) {
    switch (action.space) {
      case Space::team_scratch:
        return member_.team_scratch().bytes + action.offset;
      case Space::cluster_scratch:
        return member_.peer(member_.cluster_scratch(), action.peer)->bytes + action.offset;
      default:
        return global_ + action.offset;
    }
  }

  void act(Action const& action) {
    if (action.operation == Operation::fence) {
      fence(action.scope);
      return;
    }
    unsigned char* const at = memory(action);
    if (action.operation == Operation::read || action.operation == Operation::write) {
      note_access(action, at).writes = action.operation == Operation::write;
      plain(action, at);
      return;
    }
    bool const wrote =
        action.bytes == 8 ? atomic<std::uint64_t>(action, at) : atomic<std::uint32_t>(action, at);
    Event& event = note_access(action, at);
    event.is_atomic = true;
    event.writes = wrote;
    event.scope = action.scope;
    event.order = action.order;
  }

  Event& note_access(Action const& action, unsigned char const* at) {
    Event& event = note(Event::Kind::access);
    event.address = reinterpret_cast<std::uintptr_t>(at);
    event.bytes = action.bytes;
    event.operation = action.operation;
    if (action.space != Space::global) event.memory = event.cluster;
    if (action.space == Space::cluster_scratch) event.owner = action.peer;
    return event;
  }

  void fence(Scope scope) {
    note(Event::Kind::fence).scope = scope;
    switch (scope) {
      case Scope::team:
        return member_.template fence<Scope::team>();
      case Scope::cluster:
        return member_.template fence<Scope::cluster>();
      case Scope::device:
        return member_.template fence<Scope::device>();
      default:
        return member_.template fence<Scope::system>();
    }
  }

  /// Powers of two as the compiler's own loads and stores, other lengths as copies.
  void plain(Action const& action, unsigned char* at) {
    bool const writes = action.operation == Operation::write;
    struct alignas(16) Wide {
      std::uint64_t halves[2];
    };
    switch (action.bytes) {
      case 1:
        return touch<std::uint8_t>(at, writes);
      case 2:
        return touch<std::uint16_t>(at, writes);
      case 4:
        return touch<std::uint32_t>(at, writes);
      case 8:
        return touch<std::uint64_t>(at, writes);
      case 16:
        return touch<Wide>(at, writes);
      default:
        break;
    }
    unsigned char local[16] = {};
    auto const bytes = static_cast<std::size_t>(action.bytes);
    if (writes) {
      std::memcpy(at, local, bytes);
    } else {
      std::memcpy(local, at, bytes);
    }
    asm volatile("" : : "r"(local) : "memory");
  }

  template <class T>
  static void touch(unsigned char* at, bool writes) {
    if (writes) {
      *reinterpret_cast<T*>(at) = T{};
    } else {
      T const value = *reinterpret_cast<T const*>(at);
      asm volatile("" : : "m"(value) : "memory");
    }
  }

  /// @return whether it wrote
  template <class T>
  bool atomic(Action const& action, unsigned char* at) {
    switch (action.scope) {
      case Scope::team:
        return atomic<T, Scope::team>(action, at);
      case Scope::cluster:
        return atomic<T, Scope::cluster>(action, at);
      case Scope::device:
        return atomic<T, Scope::device>(action, at);
      default:
        return atomic<T, Scope::system>(action, at);
    }
  }
  template <class T, Scope Where>
  bool atomic(Action const& action, unsigned char* at) {
    using enum MemoryOrder;
    switch (action.order) {
      case relaxed:
        return atomic<T, Where, relaxed>(action, at);
      case acquire:
        return atomic<T, Where, acquire>(action, at);
      case release:
        return atomic<T, Where, release>(action, at);
      case acquire_release:
        return atomic<T, Where, acquire_release>(action, at);
      default:
        return atomic<T, Where, sequentially_consistent>(action, at);
    }
  }
  template <class T, Scope Where, MemoryOrder Order>
  bool atomic(Action const& action, unsigned char* at) {
    T* const cell = reinterpret_cast<T*>(at);
    switch (action.operation) {
      case Operation::load:
        static_cast<void>(atomic_load<Where, Order>(cell));
        return false;
      case Operation::store:
        atomic_store<Where, Order>(cell, T{1});
        return true;
      case Operation::add:
        atomic_add<Where, Order>(cell, T{1});
        return true;
      default:
        return atomic_compare_exchange<Where, Order>(cell, T{1}, T{2}) == T{1};
    }
  }

  Member const& member_;
  Program const& program_;
  Run& run_;
  unsigned char* global_;
  int phase_ = 0;
};

template <class Policy>
void launch(Policy policy, Program const& program, Run& run, unsigned char* global) {
  using Member = typename Policy::member_type;
  policy.allow_nonportable_size();
  Program const* const what = &program;
  Run* const into = &run;
  parallel_for(
      "random_program", policy,
      KOHORT_LAMBDA(Member const& member) { Interpreter<Member>(member, *what, *into, global)(); });
}

}  // namespace

Run run(Program const& program) {
  Run run;
  Listener listener(run);
  Simulator const target({.mode = "check",
                          .check = "log",
                          .profile = program.profile,
                          .schedule = program.schedule,
                          .workers = 1,
                          .observers = {&listener}});
  Buffer<unsigned char, Simulator> const global(target, arena_bytes);
  deep_copy(global, static_cast<unsigned char>(0));
  ClusterShape const shape{program.extents[0], program.extents[1], program.extents[2]};
  League const league{program.extents[0] * program.clusters, program.extents[1],
                      program.extents[2]};
  try {
    if (program.manual_lifetime) {
      using Policy =
          ClusterPolicy<Simulator, ManualLifetime, TeamScratch<Scratch>, ClusterScratch<Scratch>>;
      launch(Policy(target, league, program.threads, shape), program, run, global.data());
    } else {
      using Policy = ClusterPolicy<Simulator, TeamScratch<Scratch>, ClusterScratch<Scratch>>;
      launch(Policy(target, league, program.threads, shape), program, run, global.data());
    }
  } catch (Finding const& finding) {
    run.failure = finding.what();
  }
  return run;
}

}  // namespace kohort::detect
