// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/atomics.hpp>
#include <kohort/backend/emulated/control.hpp>

#include <cstdint>

namespace kohort::Impl {

/// Which tasks a cluster does: the first is known from its seat, the next is asked for by one
/// thread of it. Each way hands every task out once, whatever the domains' sizes, and lower ones
/// first, so that a task may wait for one before it, as under a hardware scheduler.
struct Tasks {
  /// Of a domain's queue: a run of the league as long as its share of the clusters.
  struct Run {
    int begin;
    int end;
  };

  static KOHORT_FUNCTION Run run_of(EmulatedLaunch const& launch, int clusters, int before,
                                    int domain_clusters) {
    return {boundary(launch, clusters, before),
            boundary(launch, clusters, before + domain_clusters)};
  }

  /// The cluster's first task, or launch.tasks for none.
  static KOHORT_FUNCTION int first(EmulatedLaunch const& launch, Seat const& seat) {
    if (launch.handout != TaskHandout::by_domain)
      return seat.cluster < launch.tasks ? seat.cluster : launch.tasks;
    Run const run = run_of(launch, seat.clusters, seat.before, seat.domain_clusters);
    int const task = run.begin + seat.in_domain;
    return task < run.end ? task : launch.tasks;
  }

  /// The task after `task`, or launch.tasks; called by one thread of the cluster unless `handout`
  /// is fixed.
  static KOHORT_FUNCTION int after(EmulatedLaunch const& launch, Seat const& seat, int task) {
    if (launch.handout == TaskHandout::fixed)
      return task < launch.tasks - seat.clusters ? task + seat.clusters : launch.tasks;
    if (launch.handout == TaskHandout::dynamic) {
      // Relaxed: the counter orders nothing but itself.
      unsigned const taken = atomic_fetch_add(&launch.launch_line().head, 1u);
      return bounded(launch, std::int64_t{seat.clusters} + taken, launch.tasks);
    }
    return from_queues(launch, seat);
  }

 private:
  static KOHORT_FUNCTION int boundary(EmulatedLaunch const& launch, int clusters, int before) {
    return static_cast<int>(std::int64_t{launch.tasks} * before / clusters);
  }
  static KOHORT_FUNCTION int bounded(EmulatedLaunch const& launch, std::int64_t task, int end) {
    return task < end ? static_cast<int>(task) : launch.tasks;
  }

  /// One more of a domain's run, behind those that its clusters began with.
  static KOHORT_FUNCTION int take_from(EmulatedLaunch const& launch, int key, Run run,
                                       int domain_clusters) {
    std::int64_t const first = std::int64_t{run.begin} + domain_clusters;
    unsigned* const head = &launch.domain_line(key).head;
    // Looked at first: an empty queue is asked again and again, and must not count up for ever.
    if (first + atomic_load(head) >= run.end) return launch.tasks;
    return bounded(launch, first + atomic_fetch_add(head, 1u), run.end);
  }

  /// Own queue, then the others', from the next domain round.
  static KOHORT_FUNCTION int from_queues(EmulatedLaunch const& launch, Seat const& seat) {
    int const own = take_from(launch, seat.key,
                              run_of(launch, seat.clusters, seat.before, seat.domain_clusters),
                              seat.domain_clusters);
    if (own != launch.tasks || seat.domain_clusters == seat.clusters) return own;
    int before = seat.before + seat.domain_clusters;
    for (int step = 1; step < launch.keys; ++step) {
      int const key = (seat.key + step) % launch.keys;
      if (key == 0) before = 0;
      // Nobody takes tickets any more: what is read is the final count.
      int const clusters =
          static_cast<int>(atomic_load(&launch.domain_line(key).joined)) / launch.size;
      if (clusters > 0) {
        int const stolen =
            take_from(launch, key, run_of(launch, seat.clusters, before, clusters), clusters);
        if (stolen != launch.tasks) return stolen;
      }
      before += clusters;
    }
    return launch.tasks;
  }
};

}  // namespace kohort::Impl
