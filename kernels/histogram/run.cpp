// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/cli/registry.hpp>
#include <kernels/cli/session.hpp>
#include <kernels/histogram/histogram.hpp>
#include <kernels/histogram/reference.hpp>

#include <cstdint>
#include <cstdlib>

namespace {

using namespace kohort;
using namespace kohort::kernels;

/// The histogram's refusals, under the name of the flag that they are about.
template <class Target>
histogram::Histogram<Target> make_histogram(Target const& target, histogram::Bins const& bins,
                                            cli::Arguments const& arguments) {
  std::optional<ClusterShape> cluster;
  if (arguments.cluster_is_given) cluster = cli::cluster_of(arguments);
  try {
    return {target, bins, static_cast<int>(arguments.integer("team")), cluster};
  } catch (std::invalid_argument const& refusal) {
    throw cli::FlagError("bins", refusal.what());
  }
}

/// The largest difference of a counter from the reference's.
double largest_difference(std::vector<unsigned> const& counted,
                          std::vector<unsigned> const& expected) {
  long long largest = 0;
  for (std::size_t bin = 0; bin < expected.size(); ++bin)
    largest = std::max(largest, std::llabs(static_cast<long long>(counted[bin]) - expected[bin]));
  return static_cast<double>(largest);
}

template <class Target>
cli::Outcome run(cli::Arguments const& arguments) {
  cli::Session<Target> const session(arguments);
  Target const& target = session.target();
  auto const count = static_cast<std::uint64_t>(arguments.integer("n"));
  auto const seed = static_cast<std::uint64_t>(arguments.integer("seed"));
  int const bin_count = static_cast<int>(arguments.integer("bins"));
  auto const width = static_cast<unsigned>(arguments.integer("width"));
  histogram::Bins const bins(bin_count, 0, width);
  auto const histogram = make_histogram(target, bins, arguments);

  arguments.progress("making " + std::to_string(count) + " random samples");
  auto const in = make_data<int>(count, [&](auto i) {
    return static_cast<int>((random_word(seed, i) >> 32) * bins.range >> 32);
  });
  Buffer<int, Target> device_in(target, count);
  Buffer<unsigned, Target> device_out(target, static_cast<std::size_t>(bin_count));
  deep_copy(device_in, in);
  deep_copy(device_out, 0xdeadbeefu);  // the launch clears them itself

  arguments.progress("running histogram");
  cli::Outcome outcome;
  outcome.runtime_s = cli::seconds_of(session, [&] {
    histogram.launch(device_in.data(), static_cast<long long>(count), device_out.data());
  });
  outcome.counts = session.counts();
  arguments.progress("comparing with the reference");
  std::vector<unsigned> counted(static_cast<std::size_t>(bin_count));
  deep_copy(counted, device_out);
  outcome.max_error = largest_difference(
      counted, histogram::reference_histogram(std::span<int const>(in), bin_count, 0, width));
  outcome.verified = outcome.max_error == 0;
  outcome.device = session.device();
  outcome.bytes = static_cast<double>(count) * sizeof(int);
  cli::set_cluster(outcome, histogram.cluster());
  return outcome;
}

[[maybe_unused]] bool const registered = cli::register_kernel(
    cli::Session<UnitTarget>::target_name,
    {.name = "histogram",
     .summary = "counts of int32 samples, bins spread over the cluster's scratch",
     .flags = {cli::number_flag("n", "samples", 16777216, 0, (1LL << 32) - 1),
               cli::number_flag(
                   "bins", "bins; without --cluster the smallest cluster that holds them is taken",
                   65536, 1, 1LL << 30),
               cli::number_flag("width", "values that a bin counts", 1, 1, 1LL << 30),
               cli::number_flag("team", "threads of a team; 0 for the largest", 0, 0, 1024),
               cli::seed_flag()},
     .run = run<UnitTarget>,
     .check_values = {{"n", "20000"}, {"bins", "1000"}, {"team", "64"}}});

}  // namespace
