// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/cli/registry.hpp>
#include <kernels/cli/session.hpp>
#include <kernels/reduce/reduction.hpp>
#include <kernels/reduce/reference.hpp>

#include <cstdint>

namespace {

using namespace kohort;
using namespace kohort::kernels;

reduce::Variant variant_of(std::string const& name) {
  for (reduce::Variant variant : reduce::all_variants)
    if (reduce::to_string(variant) == name) return variant;
  throw cli::FlagError("variant", name + " is none");
}

/// The harness's refusals, which are about the team, under the flag's name.
template <class Target, class T>
reduce::Reduction<Target, T> make_reduction(Target const& target, cli::Arguments const& arguments) {
  try {
    return reduce::Reduction<Target, T>(target, variant_of(arguments.text("variant")),
                                        static_cast<int>(arguments.integer("team")),
                                        cli::cluster_of(arguments));
  } catch (std::invalid_argument const& refusal) {
    throw cli::FlagError("team", refusal.what());
  }
}

template <class Target, class T>
cli::Outcome run_with_type(cli::Arguments const& arguments) {
  cli::Session<Target> const session(arguments);
  Target const& target = session.target();
  auto const count = static_cast<std::uint64_t>(arguments.integer("n"));
  auto const seed = static_cast<std::uint64_t>(arguments.integer("seed"));

  arguments.progress("making " + std::to_string(count) + " random elements");
  auto const in = make_data<T>(count, [&](auto i) { return random_value<T>(seed, i); });
  Buffer<T, Target> device_in(target, count);
  deep_copy(device_in, in);
  auto const reduction = make_reduction<Target, T>(target, arguments);

  arguments.progress("running " + reduction.label());
  cli::Outcome outcome;
  outcome.runtime_s = cli::seconds_of(
      session, [&] { reduction.launch(device_in.data(), static_cast<long long>(count)); });
  outcome.counts = session.counts();
  arguments.progress("comparing with the reference");
  outcome.max_error = reduce::relative_error(reduction.read_result(),
                                             reduce::reference_sum(std::span<T const>(in)));
  outcome.error_bound = reduce::error_bound<T>();
  outcome.verified = outcome.max_error <= outcome.error_bound;
  outcome.variant = arguments.text("variant");
  outcome.device = session.device();
  outcome.bytes = static_cast<double>(count) * sizeof(T);
  cli::set_cluster(outcome, cli::cluster_of(arguments));
  return outcome;
}

template <class Target>
cli::Outcome run(cli::Arguments const& arguments) {
  std::string const& type = arguments.text("type");
  if (type == "double") return run_with_type<Target, double>(arguments);
  if (type == "int32") return run_with_type<Target, std::int32_t>(arguments);
  if (type == "int64") return run_with_type<Target, std::int64_t>(arguments);
  return run_with_type<Target, float>(arguments);
}

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  for (reduce::Variant variant : reduce::all_variants) names.push_back(to_string(variant));
  return names;
}

[[maybe_unused]] bool const registered = cli::register_kernel(
    cli::Session<UnitTarget>::target_name,
    {.name = "reduce",
     .summary = "the sum of an array: a ladder of variants, each one launch",
     .flags = {cli::number_flag("n", "elements", 16777216, 0, 1LL << 40),
               cli::choice_flag("type", "of the elements", "float",
                                {"float", "double", "int32", "int64"}),
               cli::choice_flag("variant", "step of the ladder", "one_atomic_a_cluster",
                                variant_names()),
               cli::number_flag("team", "threads of a team", 256, 1, 1024), cli::seed_flag()},
     .run = run<UnitTarget>,
     .check_values = {{"n", "20000"}, {"team", "64"}}});

}  // namespace
