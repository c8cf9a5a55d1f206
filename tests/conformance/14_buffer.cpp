// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory that a Buffer owns, and copies to, from and between them.
#include "device.hpp"

#include <span>

namespace kohort::conformance::buffer {

template <class T, class Target>
void round_trip(Target const& target, std::size_t count) {
  std::vector<T> const values = random_values<T>(count, 17);
  Buffer<T, Target> first(target, count);
  Buffer<T, Target> second(target, count);
  deep_copy(first, values);
  deep_copy(second, first);
  deep_copy(first, T(0));
  require_all_equal(download(second), values,
                    std::to_string(count) + " elements of " + std::to_string(sizeof(T)) + " B");
  require_all_equal(download(first), std::vector<T>(count, T(0)), "the source, filled again");
}

template <class Target>
void values_come_back_unchanged(Target const& target) {
  for (std::size_t count : {std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
    round_trip<char>(target, count);
    round_trip<int>(target, count);
    round_trip<float>(target, count);
    round_trip<double>(target, count);
  }
  round_trip<int>(target, 3'000'000);
}

struct Row {
  double cells[3];
  char tag;
};

template <class Target>
void spans_and_structs_are_copied(Target const& target) {
  std::vector<Row> rows(10);
  for (int i = 0; i < 10; ++i) rows[i] = Row{{i * 1.0, i * 2.0, i * 3.0}, static_cast<char>(i)};
  Buffer<Row, Target> const buffer(target, 4);
  deep_copy(buffer, std::span<Row const>(rows).subspan(3, 4));
  std::vector<Row> back(10, Row{{0, 0, 0}, 0});
  deep_copy(std::span<Row>(back).subspan(5, 4), buffer);
  for (int i = 0; i < 10; ++i) {
    int const source = i >= 5 && i < 9 ? i - 2 : 0;
    require_equal(back[i].cells[2], source * 3.0, "cell of row " + std::to_string(i));
    require_equal<int>(back[i].tag, source, "tag of row " + std::to_string(i));
  }
}

template <class Target>
void an_empty_buffer_is_harmless(Target const& target) {
  Buffer<int, Target> empty(target, 0);
  require_equal(empty.size(), 0, "size");
  deep_copy(empty, std::vector<int>());
  require(download(empty).empty(), "an empty buffer gives an empty vector");
}

template <class Target>
void a_buffer_moves_with_its_memory(Target const& target) {
  Buffer<int, Target> first = upload(target, std::vector<int>{1, 2, 3});
  int const* const memory = first.data();
  Buffer<int, Target> second = std::move(first);
  require(second.data() == memory, "a moved Buffer keeps its memory");
  require_equal(first.size(), 0, "size of what was moved from");  // NOLINT: what is tested
  Buffer<int, Target> third = upload(target, std::vector<int>{4, 5});
  third = std::move(second);
  require(third.data() == memory, "an assigned Buffer takes over the memory");
  require_all_equal(download(third), {1, 2, 3}, "its elements");
}

template <class Target>
void unequal_sizes_are_refused(Target const& target) {
  Buffer<int, Target> const three = filled<int>(target, 3, 0);
  Buffer<int, Target> const four = filled<int>(target, 4, 0);
  std::vector<int> two(2);
  auto const check = [](auto const& copy, std::string const& from, std::string const& into) {
    std::string const text = require_throws<std::invalid_argument>(copy, "sizes differ").what();
    require(text.find("deep_copy of " + from + " elements into " + into) != std::string::npos,
            "the message names both sizes: " + text);
  };
  check([&] { deep_copy(three, two); }, "2", "3");
  check([&] { deep_copy(two, three); }, "3", "2");
  check([&] { deep_copy(four, three); }, "3", "4");
}

/// A copy waits for the launches before it; a launch sees the copies before it.
template <class Target>
void copies_are_ordered_with_launches(Target const& target) {
  using Policy = ClusterPolicy<Target>;
  int const count = 4096;
  auto const cells = filled<int>(target, count, 1);
  int* const cell = cells.data();
  for (int round = 1; round <= 5; ++round) {
    parallel_for(
        "double_all", Policy(target, 16, 32),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          int const first = member.league_rank() * 32 + member.team_rank();
          for (int i = first; i < count; i += 16 * 32) cell[i] = 2 * cell[i] + 1;
        });
    std::vector<int> values = download(cells);
    require_all_equal(values, std::vector<int>(count, round * 2 + 1),
                      "round " + std::to_string(round));
    deep_copy(cells, round + 1);
  }
}

template <class Target>
void memory_is_aligned_for_every_type(Target const& target) {
  for (std::size_t count : {1, 7, 100}) {
    Buffer<char, Target> const buffer(target, count);
    require_equal(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u, "address modulo 64");
  }
}

namespace {
Rung<UnitTarget> const rung(
    "14_buffer", {{"ValuesComeBackUnchanged", values_come_back_unchanged<UnitTarget>},
                  {"SpansAndStructsAreCopied", spans_and_structs_are_copied<UnitTarget>},
                  {"AnEmptyBufferIsHarmless", an_empty_buffer_is_harmless<UnitTarget>},
                  {"ABufferMovesWithItsMemory", a_buffer_moves_with_its_memory<UnitTarget>},
                  {"UnequalSizesAreRefused", unequal_sizes_are_refused<UnitTarget>},
                  {"CopiesAreOrderedWithLaunches", copies_are_ordered_with_launches<UnitTarget>},
                  {"MemoryIsAlignedForEveryType", memory_is_aligned_for_every_type<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::buffer
