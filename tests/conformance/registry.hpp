// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/call_site.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// What the ladder's files hand to main.cpp: they are compiled once a target, by compilers that
/// must not see GoogleTest.
namespace kohort::conformance {

/// A check that did not hold, and where it stands.
class CheckFailure : public std::runtime_error {
 public:
  CheckFailure(std::string const& text, CallSite site) : std::runtime_error(text), site_(site) {}
  CallSite const& site() const { return site_; }

 private:
  CallSite site_;
};

/// The device has no room for the case; what() says what it lacks.
class CaseSkipped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One case of one target.
struct Case {
  std::string target;  ///< "Simulator", "Cuda"
  std::string rung;    ///< "01_launch"
  std::string name;    ///< "EveryThreadRunsOnce"
  CallSite site;
  std::function<void()> run;
  /// Why the target can't be used on this machine; empty when it can.
  std::function<std::string()> why_absent;
};

inline std::vector<Case>& registry() {
  static std::vector<Case> cases;
  return cases;
}

}  // namespace kohort::conformance
