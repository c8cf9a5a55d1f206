// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../engine/state.hpp"

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace kohort::simulator {

/// While it lives, a crash on this OS thread (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT inside a
/// kernel) is reported with label, team, thread and place, and then takes its usual course. It
/// gives the thread the alternate stack that reporting a stack overflow needs.
class CrashGuard {
 public:
  CrashGuard();
  ~CrashGuard();
  CrashGuard(CrashGuard const&) = delete;
  CrashGuard& operator=(CrashGuard const&) = delete;

 private:
  std::unique_ptr<std::byte[]> memory_;
  bool installed_ = false;
};

/// While it lives, the watchdog looks at what this OS thread runs. A cluster that calls nothing of
/// the library for KOHORT_SIM_WATCHDOG seconds (10; 0 turns it off) is reported as `raw-spin`, and
/// the process aborts: nothing else can take the thread back.
class WatchedWorker {
 public:
  WatchedWorker();
  ~WatchedWorker();
  WatchedWorker(WatchedWorker const&) = delete;
  WatchedWorker& operator=(WatchedWorker const&) = delete;

  /// `cluster`, which outlives this object, runs from now on; null: none.
  void runs(ClusterState* cluster) {
    slices_.fetch_add(1, std::memory_order_relaxed);
    cluster_.store(cluster, std::memory_order_release);
  }

 private:
  friend class Watchdog;
  std::uint64_t activity() const;

  std::atomic<ClusterState*> cluster_{nullptr};
  std::atomic<std::uint64_t> slices_{0};
  pthread_t thread_;
  std::uint64_t seen_ = 0;
  int idle_seconds_ = 0;
};

}  // namespace kohort::simulator
