// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kohort::simulator {

/// A set of positions with a fast smallest member: bits, and a second level of bits that says
/// which words are not empty. A cluster of 16 × 1024 threads needs 256 words and 4 above them.
class ReadySet {
 public:
  /// Empty, for positions 0 … `positions` - 1.
  void resize(int positions) {
    words_.assign(static_cast<std::size_t>(positions + 63) / 64, 0);
    summary_.assign((words_.size() + 63) / 64, 0);
  }

  /// Room for as many positions, the new ones no members.
  void grow(int positions) {
    auto const words = static_cast<std::size_t>(positions + 63) / 64;
    if (words <= words_.size()) return;
    words_.resize(words, 0);
    summary_.resize((words + 63) / 64, 0);
  }

  /// Whether there is room for `position`.
  bool may_hold(int position) const { return position >= 0 && word(position) < words_.size(); }

  void insert(int position) {
    words_[word(position)] |= bit(position);
    summary_[word(position) >> 6] |= bit(static_cast<int>(word(position)));
  }

  void erase(int position) {
    std::uint64_t const left = words_[word(position)] &= ~bit(position);
    if (left == 0) summary_[word(position) >> 6] &= ~bit(static_cast<int>(word(position)));
  }

  /// Inserts first … last - 1.
  void insert_range(int first, int last) {
    for (int position = first; position < last;) {
      int const end = std::min(last, (position | 63) + 1);
      words_[word(position)] |= ones(end - position) << (position & 63);
      summary_[word(position) >> 6] |= bit(static_cast<int>(word(position)));
      position = end;
    }
  }

  /// Erases first … last - 1.
  void erase_range(int first, int last) {
    for (int position = first; position < last;) {
      int const end = std::min(last, (position | 63) + 1);
      words_[word(position)] &= ~(ones(end - position) << (position & 63));
      if (words_[word(position)] == 0)
        summary_[word(position) >> 6] &= ~bit(static_cast<int>(word(position)));
      position = end;
    }
  }

  /// The first position after `member` that is no member.
  int end_of_run(int member) const {
    int position = member;
    while (word(position) < words_.size()) {
      int const run = std::countr_one(words_[word(position)] >> (position & 63));
      int const left_in_word = 64 - (position & 63);
      position += std::min(run, left_in_word);
      if (run < left_in_word) break;
    }
    return position;
  }

  bool contains(int position) const { return (words_[word(position)] & bit(position)) != 0; }

  /// The smallest member, or -1.
  int first() const {
    for (std::size_t s = 0; s < summary_.size(); ++s) {
      if (summary_[s] == 0) continue;
      std::size_t const w = s * 64 + static_cast<std::size_t>(std::countr_zero(summary_[s]));
      return static_cast<int>(w) * 64 + std::countr_zero(words_[w]);
    }
    return -1;
  }

  bool empty() const { return first() < 0; }

  int count() const {
    int total = 0;
    for (std::uint64_t const one : words_) total += std::popcount(one);
    return total;
  }

  /// The member with `index` members below it.
  int select(int index) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      int const here = std::popcount(words_[w]);
      if (index >= here) {
        index -= here;
        continue;
      }
      std::uint64_t rest = words_[w];
      while (index-- > 0) rest &= rest - 1;
      return static_cast<int>(w) * 64 + std::countr_zero(rest);
    }
    return -1;
  }

 private:
  static std::size_t word(int position) { return static_cast<std::size_t>(position) >> 6; }
  static std::uint64_t ones(int count) {
    return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  }
  static std::uint64_t bit(int position) { return std::uint64_t{1} << (position & 63); }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> summary_;
};

}  // namespace kohort::simulator
