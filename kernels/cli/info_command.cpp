// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <kernels/cli/commands.hpp>
#include <kernels/cli/options.hpp>
#include <kernels/cli/progress.hpp>

#include <nlohmann/json.hpp>

namespace kohort::cli {
namespace {

void print_json(DeviceInfo const& info) {
  nlohmann::ordered_json resident = nlohmann::ordered_json::object();
  for (auto const& [teams, clusters] : info.max_active_clusters) resident[teams] = clusters;
  nlohmann::ordered_json const document = {{"name", info.name},
                                           {"sm_count", info.sm_count},
                                           {"sm_groups", info.sm_groups},
                                           {"max_portable_cluster_size", info.max_portable_cluster},
                                           {"max_cluster_size", info.max_cluster_size},
                                           {"max_active_clusters", resident}};
  fmt::print("{}\n", document.dump(2));
}

}  // namespace

int info_command(std::vector<std::string> const& words) {
  CLI::App app("SM groups that host clusters, limits, resident clusters by size", "info");
  std::string target;
  std::string profile;
  bool json = false;
  add_target(app, target);
  add_profile(app, profile);
  app.add_flag("--json", json, "as JSON: name, sm_groups, max_cluster_size, max_active_clusters");
  if (!parse(app, words)) return exit_verified;
  check_profile(target, profile, app.count("--profile") > 0);

  DeviceInfo info;
  {
    Progress progress;
    progress.show("asking the device");
    info = targets().at(target).info(profile);
  }
  if (json) {
    print_json(info);
  } else {
    fmt::print("{}", info.drawing);
  }
  return exit_verified;
}

}  // namespace kohort::cli
