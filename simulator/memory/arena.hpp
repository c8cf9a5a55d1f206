// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/simulator/launch.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace kohort::simulator {

/// The scratch of a cluster's teams in one piece, so that a peer's place is a fixed distance away,
/// and whose memory an address is in takes one comparison.
class Arena {
 public:
  /// Bytes behind each object that belong to nobody, so that an overrun shows.
  static constexpr std::size_t gap = 128;

  /// Room for `teams` blocks, laid out as `shape` says; poisoned.
  void resize(int teams, LaunchShape const& shape);

  std::byte* block(int team) const { return base_ + static_cast<std::size_t>(team) * stride_; }
  std::byte* team_collectives(int team) const { return block(team) + team_collectives_; }
  std::byte* cluster_collectives(int team) const { return block(team) + cluster_collectives_; }

  bool contains(void const* address) const {
    auto const* byte = static_cast<std::byte const*>(address);
    return byte >= memory_.get() && byte < memory_.get() + size_;
  }
  /// The team whose block holds `address`, which contains() it.
  int team_of(void const* address) const {
    auto const* const byte = static_cast<std::byte const*>(address);
    return byte < base_ ? 0 : static_cast<int>(static_cast<std::size_t>(byte - base_) / stride_);
  }
  std::size_t stride() const { return stride_; }
  /// All of it: what lies before the first block belongs to nobody.
  std::byte const* begin() const { return memory_.get(); }
  std::size_t bytes() const { return size_; }

  /// Whether `bytes` from `offset`, counted from begin(), lie in one object.
  bool is_object(std::size_t offset, std::size_t bytes) const {
    auto const [begin, end] = object_around(offset);
    return offset + bytes <= end;
  }
  /// Where the object at `offset` lies; two equal numbers: there is none.
  std::pair<std::size_t, std::size_t> object_around(std::size_t offset) const;
  /// Whether they are memory that peers can map.
  bool is_mapped(std::size_t offset) const;

  /// Bytes of the policy's block that no longer hold the poison, in words of 4.
  std::size_t bytes_used(int team) const;
  void poison_scratch(int team);

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  ScratchObject const* object_at(std::size_t in_block) const;

  std::unique_ptr<std::byte, Free> memory_;
  std::vector<ScratchObject> objects_;  ///< the library's two last
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  std::size_t lead_ = 0;
  std::size_t stride_ = 0;
  std::size_t scratch_bytes_ = 0;
  std::size_t team_collectives_ = 0;
  std::size_t cluster_collectives_ = 0;
};

}  // namespace kohort::simulator
