// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kohort/simulator/launch.hpp>

#include "../check/crash.hpp"
#include "launch_state.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <mutex>

namespace kohort::simulator {
namespace {

struct Facts {
  std::mutex mutex;
  LaunchFacts gathered;
};

Facts& facts() {
  static Facts one;
  return one;
}

void gather_facts(LaunchState const& launch) {
  std::scoped_lock lock(facts().mutex);
  LaunchFacts& gathered = facts().gathered;
  gathered.largest_cluster = std::max(gathered.largest_cluster, launch.plan().largest_cluster());
  gathered.communicates_globally |= launch.communicates();
  gathered.has_transfers |= launch.counts().transfers > 0;
}

void run_worker(LaunchState& launch, int number) {
  Worker worker;
  worker.launch = &launch;
  worker.number = number;
  worker.run();
}

}  // namespace

void run_workers(LaunchState& launch) {
  int const workers = launch.workers();
  if (workers == 1) {
    run_worker(launch, 0);
    return;
  }
  namespace tbb = oneapi::tbb;
  // An arena alone never gets more threads than cores (oneTBB 2021.8); the control raises that.
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(workers));
  tbb::task_arena arena(workers);
  arena.execute([&] {
    tbb::parallel_for(
        0, workers, [&](int number) { run_worker(launch, number); }, tbb::static_partitioner());
  });
}

Mode parse_mode(std::string const& text) {
  if (text == "run") return Mode::run;
  if (text == "check") return Mode::check;
  throw std::invalid_argument("kohort: simulator mode \"" + text + "\": modes are run and check");
}

OnFault parse_on_fault(std::string const& text) {
  if (text == "throw") return OnFault::throws;
  if (text == "abort") return OnFault::aborts;
  if (text == "log") return OnFault::logs;
  throw std::invalid_argument("kohort: KOHORT_CHECK is \"" + text +
                              "\": throw, abort and log are what it can be");
}

LaunchFacts take_launch_facts() {
  std::scoped_lock lock(facts().mutex);
  return std::exchange(facts().gathered, LaunchFacts{});
}

LaunchCounts launch(LaunchShape const& shape, EngineOptions const& options, ThreadFunction function,
                    void const* functor) {
  if (running_cluster() != nullptr)
    throw std::logic_error("kohort: launch of \"" + shape.label +
                           "\" from inside a kernel: a kernel can't launch another");
  LaunchState state(shape, options, function, functor);
  if (state.placement().resident_limit() == 0)
    throw std::invalid_argument("kohort: launch of \"" + shape.label +
                                "\": no cluster of this shape fits on " + options.profile->name);
  for (Observer* observer : state.observers())
    observer->launch_started(shape, options, state.plan().size());
  run_workers(state);
  gather_facts(state);
  for (Observer* observer : state.observers()) observer->launch_ended(state.counts());
  if (std::unique_ptr<Finding> const finding = state.take_finding()) throw *finding;
  return state.counts();
}

}  // namespace kohort::simulator
