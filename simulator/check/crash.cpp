// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "crash.hpp"

#include "../engine/launch_state.hpp"
#include "../report/report.hpp"
#include "backtrace.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

namespace kohort::simulator {
namespace {

constexpr std::size_t alternate_stack_bytes = 512 * 1024;  // resolving debug information is deep
constexpr std::array<int, 5> crash_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
/// Default-ignored, so that a signal that arrives late does no harm.
constexpr int watchdog_signal = SIGURG;

std::array<struct sigaction, 65> previous_actions;
std::once_flag handlers_installed;

void write_all(std::string const& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    ssize_t const n = write(STDERR_FILENO, text.data() + written, text.size() - written);
    if (n <= 0) return;
    written += static_cast<std::size_t>(n);
  }
}

void* program_counter(void* context) {
  auto const* user = static_cast<ucontext_t const*>(context);
#if defined(__x86_64__)
  return reinterpret_cast<void*>(user->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void*>(user->uc_mcontext.pc);
#else
#error "name the program counter's place in this architecture's ucontext_t"
#endif
}

void* stack_pointer(void* context) {
  auto const* user = static_cast<ucontext_t const*>(context);
#if defined(__x86_64__)
  return reinterpret_cast<void*>(user->uc_mcontext.gregs[REG_RSP]);
#else
  return reinterpret_cast<void*>(user->uc_mcontext.sp);
#endif
}

std::string crash_report(ClusterState const& cluster, std::string_view id, std::string const& what,
                         void* context) {
  ThreadState const& thread = cluster.current();
  CatalogueEntry const& entry = catalogue(id);
  return fmt::format(
      "kohort: [{}] in \"{}\", cluster {} of {}, under schedule {}\n"
      "  team {} thread {}  {}\n{}  why     {}\n  mend    {}\n"
      "  replay  KOHORT_SIM_SCHEDULE={} {}\n  page    docs/diagnostics/{}.md\n",
      id, cluster.launch->shape().label, cluster.index, cluster.launch->plan().size(),
      to_string(cluster.launch->options().schedule), thread.team->rank, thread.rank, what,
      backtrace_from(program_counter(context), context), entry.why, entry.mend,
      cluster.launch->replay_schedule(&cluster), replay_command(), id);
}

bool overflowed(ThreadState const& thread, void const* address, void* context) {
  // A frame of more than the guard jumps over it, so the stack pointer tells as well.
  auto const* pointer = static_cast<std::byte const*>(stack_pointer(context));
  return is_in_guard(thread.stack, address) ||
         (thread.stack.bottom != nullptr && pointer < thread.stack.bottom &&
          pointer > thread.stack.bottom - (1 << 20));
}

void on_crash(int number, siginfo_t* information, void* context) {
  if (ClusterState const* cluster = running_cluster()) {
    set_running_cluster(nullptr);  // a crash while reporting must not report again
    if (number == SIGSEGV && overflowed(cluster->current(), information->si_addr, context)) {
      write_all(crash_report(
          *cluster, "stack-overflow",
          fmt::format("ran over its stack of {} B", cluster->current().stack.bytes()), context));
    } else {
      write_all(crash_report(
          *cluster, "kernel-crash",
          fmt::format("{} at address {}", strsignal(number), fmt::ptr(information->si_addr)),
          context));
    }
  }
  sigaction(number, &previous_actions[static_cast<std::size_t>(number)], nullptr);
  // The faulting instruction runs again and now takes its usual course; a signal that was sent, as
  // abort() does, does not recur.
  if (information->si_code <= 0) raise(number);
}

void on_watchdog(int, siginfo_t*, void* context) {
  ClusterState const* cluster = running_cluster();
  if (cluster == nullptr) return;
  set_running_cluster(nullptr);
  write_all(crash_report(*cluster, "raw-spin", "calls nothing of the library", context));
  std::abort();
}

void install_handlers() {
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  action.sa_sigaction = on_crash;
  for (int const number : crash_signals)
    sigaction(number, &action, &previous_actions[static_cast<std::size_t>(number)]);
  action.sa_sigaction = on_watchdog;
  sigaction(watchdog_signal, &action, nullptr);
}

}  // namespace

/// Looks once a second at every worker of the process.
class Watchdog {
 public:
  static Watchdog& instance() {
    static auto* one = new Watchdog;  // its thread runs to the end of the process
    return *one;
  }

  void add(WatchedWorker& worker) {
    std::scoped_lock lock(mutex_);
    if (seconds_ > 0 && !started_) start();
    workers_.push_back(&worker);
  }

  void remove(WatchedWorker& worker) {
    std::scoped_lock lock(mutex_);
    std::erase(workers_, &worker);
  }

 private:
  Watchdog() {
    char const* const text = std::getenv("KOHORT_SIM_WATCHDOG");
    if (text != nullptr) seconds_ = std::atoi(text);
  }

  void start() {
    started_ = true;
    std::thread([this] {
      for (;;) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        look();
      }
    }).detach();
  }

  void look() {
    if (is_debugged()) return;
    std::scoped_lock lock(mutex_);
    for (WatchedWorker* worker : workers_) {
      std::uint64_t const now = worker->activity();
      bool const idle = now == worker->seen_ && worker->cluster_.load() != nullptr;
      worker->idle_seconds_ = idle ? worker->idle_seconds_ + 1 : 0;
      worker->seen_ = now;
      if (worker->idle_seconds_ == seconds_) pthread_kill(worker->thread_, watchdog_signal);
    }
  }

  /// A person at a breakpoint takes longer than any limit.
  static bool is_debugged() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
      if (line.rfind("TracerPid:", 0) == 0) return line.find_first_of("123456789") != line.npos;
    return false;
  }

  std::mutex mutex_;
  std::vector<WatchedWorker*> workers_;
  int seconds_ = 10;
  bool started_ = false;
};

WatchedWorker::WatchedWorker() : thread_(pthread_self()) { Watchdog::instance().add(*this); }
WatchedWorker::~WatchedWorker() { Watchdog::instance().remove(*this); }

/// Read while the worker writes it: any change will do.
std::uint64_t WatchedWorker::activity() const {
  std::uint64_t sum = slices_.load(std::memory_order_relaxed);
  if (ClusterState* const cluster = cluster_.load(std::memory_order_acquire)) {
    sum += __atomic_load_n(&cluster->other_switches, __ATOMIC_RELAXED);
    sum += __atomic_load_n(&cluster->progress, __ATOMIC_RELAXED);
    // More than a cluster has threads, so that a step on and a step back don't cancel out.
    sum = sum * 65536 + static_cast<std::uint64_t>(cluster->scheduler.running_unsynchronised());
  }
  return sum;
}

CrashGuard::CrashGuard() {
  std::call_once(handlers_installed, install_handlers);
  stack_t current{};
  sigaltstack(nullptr, &current);
  if ((current.ss_flags & SS_DISABLE) == 0 && current.ss_size >= alternate_stack_bytes) return;
  memory_ = std::make_unique<std::byte[]>(alternate_stack_bytes);
  stack_t mine{};
  mine.ss_sp = memory_.get();
  mine.ss_size = alternate_stack_bytes;
  installed_ = sigaltstack(&mine, nullptr) == 0;
}

CrashGuard::~CrashGuard() {
  if (!installed_) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

}  // namespace kohort::simulator
