// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/cli/registry.hpp>
#include <kernels/cli/session.hpp>
#include <kernels/halo/reference.hpp>
#include <kernels/halo/row_stencil.hpp>

#include <cstdint>
#include <limits>

namespace {

using namespace kohort;
using namespace kohort::kernels;

template <class Target, class T>
cli::Outcome run_with_type(cli::Arguments const& arguments) {
  cli::Session<Target> const session(arguments);
  Target const& target = session.target();
  long long const width = arguments.integer("n");
  long long const rows = arguments.integer("rows");
  long long const pitch = halo::pitch_of<T>(width);
  auto const seed = static_cast<std::uint64_t>(arguments.integer("seed"));
  auto const weights = halo::falling_weights<T>(static_cast<int>(arguments.integer("radius")));

  arguments.progress("making " + std::to_string(rows) + " rows of " + std::to_string(width) +
                     " random elements");
  auto const in = make_data<T>(static_cast<std::uint64_t>(pitch * rows),
                               [&](auto i) { return random_value<T>(seed, i); });
  Buffer<T, Target> device_in(target, in.size());
  Buffer<T, Target> device_out(target, in.size());
  deep_copy(device_in, in);
  deep_copy(device_out, std::numeric_limits<T>::quiet_NaN());  // what stays unwritten shows
  ClusterShape const cluster = cli::cluster_of(arguments);
  halo::RowStencil<Target, T> const stencil(target, std::span<T const>(weights), cluster);

  arguments.progress("running halo");
  cli::Outcome outcome;
  outcome.runtime_s = cli::seconds_of(
      session, [&] { stencil.launch(device_in.data(), device_out.data(), width, rows); });
  outcome.counts = session.counts();
  arguments.progress("comparing with the reference");
  std::vector<T> out(in.size());
  deep_copy(out, device_out);
  outcome.max_error = halo::largest_error(std::span<T const>(in), std::span<T const>(out), width,
                                          pitch, rows, std::span<T const>(weights));
  outcome.error_bound = halo::error_bound<T>();
  outcome.verified = outcome.max_error <= outcome.error_bound;
  outcome.device = session.device();
  outcome.bytes = 2.0 * static_cast<double>(width * rows) * sizeof(T);
  cli::set_cluster(outcome, cluster);
  return outcome;
}

template <class Target>
cli::Outcome run(cli::Arguments const& arguments) {
  if (arguments.text("type") == "double") return run_with_type<Target, double>(arguments);
  return run_with_type<Target, float>(arguments);
}

[[maybe_unused]] bool const registered = cli::register_kernel(
    cli::Session<UnitTarget>::target_name,
    {.name = "halo",
     .summary = "a stencil along long rows, halos pushed to the cluster's neighbours",
     .flags = {cli::number_flag("n", "elements of a row", 16777216, 1, 1LL << 40),
               cli::number_flag("rows", "rows", 1, 1, 65535),
               cli::number_flag("radius", "elements that count on either side", 4, 1,
                                halo::largest_radius),
               cli::choice_flag("type", "of the elements", "float", {"float", "double"}),
               cli::seed_flag()},
     .run = run<UnitTarget>,
     .check_values = {{"n", "20000"}}});

}  // namespace
