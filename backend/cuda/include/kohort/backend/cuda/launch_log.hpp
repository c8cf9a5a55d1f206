// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kohort::Impl {

/// A label of its own, so that the launch path allocates nothing; cut off at 63 bytes.
struct LabelText {
  std::array<char, 64> text{};

  LabelText() = default;
  explicit LabelText(std::string_view label) {
    std::memcpy(text.data(), label.data(), std::min(label.size(), text.size() - 1));
  }
};

/// The last labels launched since the last wait that succeeded. A GPU reports a dead kernel late
/// and without its name: this is what a report can name.
class LaunchLog {
 public:
  static constexpr std::size_t capacity = 16;

  void record(LabelText const& label) {
    std::lock_guard const lock(mutex_);
    labels_[count_ % capacity] = label;
    ++count_;
  }

  void clear() {
    std::lock_guard const lock(mutex_);
    count_ = 0;
  }

  /// Oldest first; at most `capacity`. `dropped` counts those before.
  std::vector<std::string> labels(std::size_t& dropped) const {
    std::lock_guard const lock(mutex_);
    std::size_t const kept = std::min(count_, capacity);
    dropped = count_ - kept;
    std::vector<std::string> result;
    for (std::size_t i = count_ - kept; i < count_; ++i) {
      result.emplace_back(labels_[i % capacity].text.data());
    }
    return result;
  }

 private:
  mutable std::mutex mutex_;
  std::array<LabelText, capacity> labels_;
  std::size_t count_ = 0;
};

}  // namespace kohort::Impl
