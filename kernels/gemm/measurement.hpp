// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/cli/session.hpp>
#include <kernels/gemm/rival.hpp>

#include <utility>

/// Times of a device's clock: how fast a choice is, beside cuBLAS, and which choice is the fastest.
namespace kohort::kernels::gemm {

inline double operations_of(Problem const& problem) {
  return 2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) *
         static_cast<double>(problem.k) * static_cast<double>(problem.batch);
}

/// `tflops` and, from the same run, `cublas_tflops`; or why there is none.
template <class Target, class In>
std::vector<cli::Detail> measured_speed(cli::Session<Target> const& session,
                                        Trial<Target, In> const& trial,
                                        Gemm<Target, In> const& gemm) {
  Rival<Target, In> rival(trial);
  std::vector<std::function<void()>> calls{[&] { gemm.launch(); }};
  if (rival.why_not().empty()) calls.emplace_back([&] { rival.launch(); });
  std::vector<double> const seconds = session.median_seconds(calls);
  auto const rate = [&](double time) { return operations_of(trial.problem()) / time / 1e12; };
  std::vector<cli::Detail> details{{"tflops", rate(seconds[0])}};
  if (rival.why_not().empty()) {
    details.push_back({"cublas_tflops", rate(seconds[1])});
  } else {
    details.push_back({"cublas", rival.why_not()});
  }
  return details;
}

/// What tuning found.
struct Tuned {
  Choice choice;
  std::vector<cli::Detail> details;
};

/// Times every choice that the device can launch; the fastest is then timed again beside what the
/// heuristic picks, because the least of many medians is too small.
template <class Target, class In>
Tuned tune(cli::Session<Target> const& session, Trial<Target, In> const& trial,
           Gemm<Target, In> const& guessed, cli::Arguments const& arguments) {
  std::vector<Gemm<Target, In>> all;
  std::vector<std::function<void()>> calls;
  for (Choice const& choice : guessed.choices()) {
    try {
      Gemm<Target, In> gemm = trial.make_gemm(choice);
      gemm.launch();
      session.target().fence("kohort run gemm --tune");
      all.push_back(std::move(gemm));
    } catch (LaunchError const&) {
      continue;  // a cluster that the device doesn't have
    }
  }
  for (Gemm<Target, In> const& gemm : all) calls.emplace_back([&gemm] { gemm.launch(); });
  arguments.progress("timing " + std::to_string(calls.size()) + " choices");
  std::vector<double> const seconds = session.median_seconds(calls);
  auto const best =
      static_cast<std::size_t>(std::min_element(seconds.begin(), seconds.end()) - seconds.begin());
  std::vector<double> const last =
      session.median_seconds({[&] { guessed.launch(); }, [&] { all[best].launch(); }});
  bool const is_better = last[1] < last[0];
  Choice const choice = is_better ? all[best].choice() : guessed.choice();
  double const gain = is_better ? 100 * (last[0] / last[1] - 1) : 0;
  return {choice,
          {{"choice", to_string(choice)},
           {"microseconds", 1e6 * std::min(last[0], last[1])},
           {"heuristic", to_string(guessed.choice())},
           {"heuristic_microseconds", 1e6 * last[0]},
           {"gain_percent", gain},
           {"choices_timed", static_cast<long long>(calls.size())}}};
}

}  // namespace kohort::kernels::gemm
