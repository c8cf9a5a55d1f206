// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/cli/registry.hpp>
#include <kernels/cli/session.hpp>
#include <kernels/gemm/measurement.hpp>

#include <array>
#include <cstdint>
#include <new>
#include <string>

namespace {

using namespace kohort;
using namespace kohort::kernels;

template <class Value, std::size_t Count>
Value named(Value const (&all)[Count], std::string const& name) {
  for (Value const value : all)
    if (gemm::to_string(value) == name) return value;
  throw std::logic_error("kohort: gemm: a flag's choices and values differ at " + name);
}

gemm::Order order_of(std::string const& name) {
  return name == "row" ? gemm::Order::row_major : gemm::Order::column_major;
}

gemm::Problem problem_of(cli::Arguments const& arguments) {
  return {arguments.integer("m"),
          arguments.integer("n"),
          arguments.integer("k"),
          arguments.integer("batch"),
          order_of(arguments.text("a-order")),
          order_of(arguments.text("b-order")),
          order_of(arguments.text("d-order"))};
}

gemm::Steps steps_of(cli::Arguments const& arguments) {
  constexpr gemm::Activation activations[] = {gemm::Activation::none, gemm::Activation::relu,
                                              gemm::Activation::gelu};
  return {static_cast<float>(arguments.decimal("alpha")),
          static_cast<float>(arguments.decimal("beta")),
          named(activations, arguments.text("activation")),
          arguments.text("bias") == "on",
          arguments.text("residual") == "on",
          arguments.text("row-scale") == "on"};
}

gemm::Wish wish_of(cli::Arguments const& arguments) {
  gemm::Wish wish;
  std::string const& tile = arguments.text("tile");
  std::string const& order = arguments.text("order");
  if (tile != "auto") wish.kind = named(gemm::all_tile_kinds, tile);
  if (order != "auto") wish.order = named(gemm::all_tile_orders, order);
  if (arguments.cluster_is_given) wish.cluster = cli::cluster_of(arguments);
  if (arguments.text("by-cache") == "off") wish.by_cache = false;
  if (arguments.integer("parts") > 0) wish.parts = static_cast<int>(arguments.integer("parts"));
  return wish;
}

/// What the matrices of a problem take, in GiB, on the host and again on the device.
template <class In>
double gigabytes_of(gemm::Problem const& problem) {
  auto const [m, n, k] = std::array{static_cast<double>(problem.m), static_cast<double>(problem.n),
                                    static_cast<double>(problem.k)};
  return static_cast<double>(problem.batch) *
         ((m * k + k * n) * sizeof(In) + m * n * sizeof(gemm::OutOf<In>)) / 0x1p30;
}

/// A problem with its matrices, or why there can be none.
template <class Target, class In>
gemm::Trial<Target, In> make_trial(Target const& target, gemm::Problem const& problem,
                                   cli::Arguments const& arguments) {
  double const gigabytes = gigabytes_of<In>(problem);
  auto const refusal = [&] {
    return cli::FlagError("m", "A, B and D take " + std::to_string(gigabytes) +
                                   " GiB, which this machine does not have: take smaller m, n, k "
                                   "or batch");
  };
  // Beyond that, elements could not be counted either.
  if (gigabytes >= 0x1p20) throw refusal();
  try {
    return gemm::Trial<Target, In>(target, problem, steps_of(arguments),
                                   static_cast<std::uint64_t>(arguments.integer("seed")));
  } catch (std::bad_alloc const&) {
    throw refusal();
  }
}

/// The library's refusals, under the flag that they are about.
template <class Target, class In>
gemm::Gemm<Target, In> make_gemm(gemm::Trial<Target, In> const& trial,
                                 cli::Arguments const& arguments) {
  try {
    return trial.make_gemm(wish_of(arguments));
  } catch (std::invalid_argument const& refusal) {
    throw cli::FlagError(arguments.cluster_is_given       ? "cluster"
                         : arguments.integer("parts") > 1 ? "parts"
                                                          : "tile",
                         refusal.what());
  }
}

template <class Target, class In>
std::vector<cli::Detail> traffic_of(gemm::Gemm<Target, In> const& gemm, cli::Counts const& counts) {
  long long fetched = gemm.fetched_bytes();
  for (auto const& [name, count] : counts)
    if (name == "bytes_to_scratch") fetched = count;
  return {{"a_bytes", gemm.fetched_bytes_of_a()},
          {"b_bytes", gemm.fetched_bytes() - gemm.fetched_bytes_of_a()},
          {"global_to_scratch_bytes", fetched},
          {"no_cluster_bytes", gemm.unshared_bytes()}};
}

/// What the L2 caches were asked for, where it was counted.
template <class Target>
std::vector<cli::Detail> l2_of(cli::Session<Target> const& session) {
  std::vector<cli::Detail> details;
  if constexpr (requires { session.cache(); }) {
    if (session.cache() == nullptr) return details;
    auto const total = session.cache()->total();
    details = {{"caches", static_cast<long long>(session.cache()->domains().size())},
               {"read_hit_rate", total.read_hit_rate()},
               {"read_bytes", total.reads * 128},
               {"memory_bytes", total.memory_bytes()}};
  }
  return details;
}

/// Takes what measuring finds in the place of the guess, where it is asked for.
template <class Target, class In>
void tune_if_wished(cli::Session<Target> const& session, gemm::Trial<Target, In> const& trial,
                    gemm::Gemm<Target, In>& gemm, cli::Arguments const& arguments,
                    std::vector<cli::Detail>& details) {
  if (arguments.text("tune") == "off") return;
  if constexpr (cli::Session<Target>::has_device_clock) {
    gemm::Tuned tuned = gemm::tune(session, trial, gemm, arguments);
    gemm = trial.make_gemm(tuned.choice);
    details.push_back({"tune", std::move(tuned.details)});
  } else {
    throw cli::FlagError("tune",
                         "measures on a device; how long the simulator takes says nothing about "
                         "one, and it doesn't model time yet");
  }
}

template <class Target, class In>
cli::Outcome run_with_type(cli::Arguments const& arguments) {
  cli::Session<Target> const session(arguments);
  gemm::Problem const problem = problem_of(arguments);
  arguments.progress("making random matrices");
  gemm::Trial<Target, In> trial = make_trial<Target, In>(session.target(), problem, arguments);
  gemm::Gemm<Target, In> gemm = make_gemm(trial, arguments);
  cli::Outcome outcome;
  tune_if_wished(session, trial, gemm, arguments, outcome.details);

  trial.poison();
  arguments.progress("running " + to_string(gemm.choice()));
  std::vector<cli::Detail> l2;
  outcome.runtime_s = cli::seconds_of(session, [&] {
    for (int which = 0; which < gemm.launches(); ++which) {
      gemm.launch(which);
      if (which > 0) continue;  // counts are of the products
      outcome.counts = session.counts();
      l2 = l2_of(session);
    }
  });
  arguments.progress("comparing with the reference");
  gemm::Comparison const comparison = trial.compare();
  outcome.max_error = comparison.largest;
  outcome.error_bound = 1;
  outcome.verified = comparison.is_good();
  outcome.variant = to_string(gemm.choice().kind);
  outcome.device = session.device();
  outcome.bytes = static_cast<double>(problem.batch) *
                  static_cast<double>((problem.m + problem.n) * problem.k * sizeof(In) +
                                      problem.m * problem.n * sizeof(gemm::OutOf<In>));
  cli::set_cluster(outcome, gemm.choice().cut.cluster);
  outcome.details.push_back({"choice", to_string(gemm.choice())});
  outcome.details.push_back({"traffic", traffic_of(gemm, outcome.counts)});
  if (!l2.empty()) outcome.details.push_back({"l2", std::move(l2)});
  if constexpr (cli::Session<Target>::has_device_clock) {
    arguments.progress("timing it beside cuBLAS");
    for (cli::Detail& detail : gemm::measured_speed(session, trial, gemm))
      outcome.details.push_back(std::move(detail));
  }
  return outcome;
}

template <class Target>
cli::Outcome run(cli::Arguments const& arguments) {
  std::string const& type = arguments.text("type");
  if (type == "fp16") return run_with_type<Target, float16>(arguments);
  if (type == "fp8") return run_with_type<Target, float8_e4m3>(arguments);
  if (type == "tf32") return run_with_type<Target, tfloat32>(arguments);
  return run_with_type<Target, bfloat16>(arguments);
}

std::vector<cli::Flag> flags() {
  std::vector<std::string> const orders{"row", "column"};
  std::vector<std::string> const switches{"off", "on"};
  constexpr long long most = (1LL << 31) - 1024;
  return {
      cli::number_flag("m", "rows of A and D", 512, 1, most),
      cli::number_flag("n", "columns of B and D", 512, 1, most),
      cli::number_flag("k", "columns of A, rows of B", 512, 1, most),
      cli::number_flag("batch", "matrices", 1, 1, 65535),
      cli::choice_flag("type", "of A and B", "bf16", {"bf16", "fp16", "fp8", "tf32"}),
      cli::choice_flag("a-order", "what is contiguous in A", "row", orders),
      cli::choice_flag("b-order", "what is contiguous in B", "column", orders),
      cli::choice_flag("d-order", "what is contiguous in C and D", "row", orders),
      cli::decimal_flag("alpha", "factor of the product", "1", -1000, 1000),
      cli::decimal_flag("beta", "factor of C", "0", -1000, 1000),
      cli::choice_flag("activation", "after scale and bias", "none", {"none", "relu", "gelu"}),
      cli::choice_flag("bias", "a summand a column", "off", switches),
      cli::choice_flag("residual", "a summand an element, the last step", "off", switches),
      cli::choice_flag("row-scale", "a factor a row, before the bias", "off", switches),
      cli::choice_flag(
          "tile", "of a team: 128 x 256, 192 or 128, 64 x 128 or 64; general: any layout", "auto",
          {"auto", "wide", "middle", "narrow", "slim", "compact", "small", "general"}),
      cli::number_flag("parts", "of K, each for clusters of its own; 0: as the library guesses", 0,
                       0, 64),
      cli::choice_flag("order", "of tiles in time", "auto", {"auto", "rows", "blocks", "hilbert"}),
      cli::choice_flag("by-cache", "neighbours in order share an L2 where there are several", "on",
                       switches),
      cli::choice_flag("l2", "count hits in the L2 caches (simulator)", "off", switches),
      cli::choice_flag("tune", "measure instead of guessing (CUDA)", "off", switches),
      cli::seed_flag()};
}

[[maybe_unused]] bool const registered =
    cli::register_kernel(cli::Session<UnitTarget>::target_name,
                         {.name = "gemm",
                          .summary = "D = epilogue(alpha A B + beta C), tiles shared by multicast",
                          .flags = flags(),
                          .run = run<UnitTarget>,
                          .check_values = {{"m", "256"}, {"n", "256"}, {"k", "128"}}});

}  // namespace
