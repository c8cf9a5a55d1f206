// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kohort_kokkos_test {

/// What a tool was told.
struct Seen {
  std::vector<std::string> begun;
  int ended = 0;
  std::map<std::string, std::string> metadata;

  std::vector<std::string> begun_with(std::string const& start) const {
    std::vector<std::string> found;
    for (std::string const& name : begun)
      if (name.rfind(start, 0) == 0) found.push_back(name);
    return found;
  }
};

inline Seen& seen() {
  static Seen all;
  return all;
}

/// A Kokkos tool that keeps what it is told, until it goes.
class Recorder {
 public:
  Recorder() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    namespace tools = Kokkos::Tools::Experimental;
    seen() = {};
    tools::set_begin_parallel_for_callback(
        [](char const* name, std::uint32_t, std::uint64_t*) { seen().begun.push_back(name); });
    tools::set_end_parallel_for_callback([](std::uint64_t) { ++seen().ended; });
    tools::set_begin_parallel_reduce_callback(
        [](char const* name, std::uint32_t, std::uint64_t*) { seen().begun.push_back(name); });
    tools::set_end_parallel_reduce_callback([](std::uint64_t) { ++seen().ended; });
    tools::set_declare_metadata_callback(
        [](char const* key, char const* value) { seen().metadata[key] = value; });
  }
  Recorder(Recorder const&) = delete;
  Recorder& operator=(Recorder const&) = delete;
  ~Recorder() { Kokkos::Tools::Experimental::set_callbacks(before_); }

 private:
  Kokkos::Tools::Experimental::EventSet before_;
};

}  // namespace kohort_kokkos_test
