// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "prefixes.hpp"
#include "published.hpp"

#include <cstdint>
#include <utility>

namespace kohort::simulator {

/// What a thread knows: of its own cluster, and, through atomics on global memory, of others.
/// Shared by threads of one cluster that know the same; its owner alone changes it.
struct Knowledge {
  explicit Knowledge(int teams) : own(teams), content(next_content()) {}

  int users = 0;
  Prefixes own;
  Published others;
  /// A number that no other content has: equal numbers, equal knowledge.
  std::uint64_t content;

  void join(Knowledge const& other);
  static std::uint64_t next_content();
};

/// Counts users without atomics: a cluster's knowledge stays with its worker.
class KnowledgeHandle {
 public:
  KnowledgeHandle() = default;
  explicit KnowledgeHandle(Knowledge* knowledge) : knowledge_(knowledge) { hold(); }
  KnowledgeHandle(KnowledgeHandle const& other) : knowledge_(other.knowledge_) { hold(); }
  KnowledgeHandle(KnowledgeHandle&& other) noexcept
      : knowledge_(std::exchange(other.knowledge_, nullptr)) {}
  KnowledgeHandle& operator=(KnowledgeHandle other) noexcept {
    std::swap(knowledge_, other.knowledge_);
    return *this;
  }
  ~KnowledgeHandle() {
    if (knowledge_ != nullptr && --knowledge_->users == 0) delete knowledge_;
  }

  Knowledge const* get() const { return knowledge_; }
  Knowledge const* operator->() const { return knowledge_; }
  explicit operator bool() const { return knowledge_ != nullptr; }
  /// For changing: a copy of its own, unless `users` are all there are.
  Knowledge& own(int users = 1);

 private:
  void hold() {
    if (knowledge_ != nullptr) ++knowledge_->users;
  }
  Knowledge* knowledge_ = nullptr;
};

}  // namespace kohort::simulator
