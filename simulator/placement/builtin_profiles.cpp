// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <kohort/simulator/profile.hpp>
#include <map>
#include <mutex>

#include "placement/embedded_profiles.hpp"

namespace kohort::simulator {
namespace {

// A profile is a few kilobytes; the bound is for a path that names something else.
constexpr std::size_t most_file_bytes = 1 << 20;

std::string read_file(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(most_file_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  // A directory opens, but can't be read: that sets badbit.
  if (!file.is_open() || file.bad()) {
    throw ProfileError(path, 0, "", "can't be read; expected a TOML file with a device profile");
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most_file_bytes) {
    throw ProfileError(path, 0, "", "is larger than 1 MB; expected a device profile of some KB");
  }
  return text;
}

bool is_path(std::string_view name_or_path) {
  return name_or_path.find('/') != std::string_view::npos || name_or_path.ends_with(".toml");
}

DeviceProfile load_builtin(std::string_view name) {
  for (Impl::EmbeddedProfile const& profile : Impl::embedded_profiles()) {
    if (profile.name == name) {
      return parse_profile(profile.text, fmt::format("{}.toml (built in)", name));
    }
  }
  throw ProfileError(fmt::format("profile \"{}\"", name), 0, "",
                     fmt::format("not built in; expected one of {}, or the path of a TOML file "
                                 "(with a '/' in it, or ending in .toml)",
                                 fmt::join(builtin_profile_names(), ", ")));
}

DeviceProfile load(std::string const& name_or_path) {
  return is_path(name_or_path) ? parse_profile(read_file(name_or_path), name_or_path)
                               : load_builtin(name_or_path);
}

}  // namespace

std::vector<std::string> builtin_profile_names() {
  std::vector<std::string> names;
  for (Impl::EmbeddedProfile const& profile : Impl::embedded_profiles()) {
    names.emplace_back(profile.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

DeviceProfile const& find_profile(std::string_view name_or_path) {
  // Never destroyed: other objects of static lifetime may hold a reference to the end.
  static auto& cache = *new std::map<std::string, DeviceProfile, std::less<>>;
  static std::mutex mutex;
  std::lock_guard const lock(mutex);
  auto found = cache.find(name_or_path);
  if (found == cache.end()) {
    std::string key(name_or_path);
    DeviceProfile profile = load(key);
    found = cache.emplace(std::move(key), std::move(profile)).first;
  }
  return found->second;
}

}  // namespace kohort::simulator
