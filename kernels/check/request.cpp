// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/check/request.hpp>
#include <kernels/cli/commands.hpp>

#include <algorithm>
#include <cstdio>

namespace kohort::check {
namespace {

void set(Request& request, std::string const& name, std::string const& value) {
  cli::Arguments& arguments = request.arguments;
  int(&cluster)[3] = arguments.cluster;
  if (name.starts_with("--")) {
    arguments.values[name.substr(2)] = value;
  } else if (name == "faults") {
    request.faults = value == "1";
  } else if (name == "case") {
    request.only_case = value;
  } else if (name == "kernel") {
    request.kernel = value;
  } else if (name == "necessity") {
    request.necessity = value == "1";
  } else if (name == "profile") {
    arguments.profile = value;
  } else if (name == "schedule") {
    request.schedule = value;
  } else if (name == "workers") {
    arguments.workers = std::stoi(value);
  } else if (name == "cluster") {
    std::sscanf(value.c_str(), "%dx%dx%d", &cluster[0], &cluster[1], &cluster[2]);
    arguments.cluster_is_given = true;
  } else if (name == "pct") {
    request.ladder.pct_schedules = std::stoi(value);
  } else if (name == "random") {
    request.ladder.random_schedules = std::stoi(value);
  } else if (name == "seed") {
    request.ladder.seed = std::stoull(value);
  } else if (name == "json") {
    request.json = value == "1";
  } else {
    throw cli::UsageError("kohort-check: " + name + " is none of its words: start `kohort check`");
  }
}

/// The user's words without those that the replaying environment stands for.
std::string replay_of(std::vector<std::string> const& words) {
  std::string text = "check";
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string const name = words[i].substr(0, words[i].find('='));
    bool const is_schedule = name == "--schedule" || name == "--kohort-sim-schedule";
    if (is_schedule && name == words[i]) ++i;  // its value is the next word
    if (!is_schedule && name != "--json") text += " " + words[i];
  }
  return text;
}

}  // namespace

Request parse_request(std::vector<std::string> const& words) {
  Request request;
  request.arguments.progress = [](std::string const&) {};
  auto const end = std::find(words.begin(), words.end(), "--");
  for (auto word = words.begin(); word != end; ++word) {
    std::size_t const equals = word->find('=');
    if (equals == std::string::npos)
      throw cli::UsageError("kohort-check: start it through `kohort check`");
    set(request, word->substr(0, equals), word->substr(equals + 1));
  }
  if (end == words.end()) throw cli::UsageError("kohort-check: start it through `kohort check`");
  request.replay = replay_of({end + 1, words.end()});
  return request;
}

}  // namespace kohort::check
