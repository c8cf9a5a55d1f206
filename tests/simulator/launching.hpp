// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the engine's tests share: targets, the finding of a launch, environment variables.
#pragma once

#include <kohort/kohort.hpp>

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace kohort::tests {

struct How {
  std::string schedule = "rank";
  int workers = 1;
  std::string profile = "h200-sxm";
  std::vector<simulator::Observer*> observers = {};
};

inline Simulator simulated(How const& how = {}) {
  SimulatorOptions options;
  options.profile = how.profile;
  options.schedule = how.schedule;
  options.workers = how.workers;
  options.observers = how.observers;
  return Simulator(options);
}

/// What `launch()` was found guilty of, if anything.
template <class Launch>
std::optional<Finding> finding_of(Launch const& launch) {
  try {
    launch();
    return std::nullopt;
  } catch (Finding const& finding) {
    return finding;
  }
}

/// The id of the finding, or "nothing was found".
template <class Launch>
std::string id_of(Launch const& launch) {
  auto const finding = finding_of(launch);
  return finding ? finding->id() : "nothing was found";
}

/// One int of device memory that holds `value`.
inline Buffer<int, Simulator> cell(Simulator const& target, int value = 0) {
  Buffer<int, Simulator> buffer(target, 1);
  deep_copy(buffer, value);
  return buffer;
}

/// Sets a variable of the environment, or removes it, while it lives.
class Environment {
 public:
  Environment(std::string name, std::optional<std::string> const& value) : name_(std::move(name)) {
    if (char const* const old = std::getenv(name_.c_str())) before_ = old;
    set(value);
  }
  ~Environment() { set(before_); }
  Environment(Environment const&) = delete;
  Environment& operator=(Environment const&) = delete;

 private:
  void set(std::optional<std::string> const& value) {
    if (value) {
      setenv(name_.c_str(), value->c_str(), 1);
    } else {
      unsetenv(name_.c_str());
    }
  }

  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace kohort::tests
