// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "knowledge.hpp"

namespace kohort::simulator {

void Knowledge::join(Knowledge const& other) {
  own.join(other.own);
  others = joined(others, other.others);
}

/// A worker's own numbers suffice: contents of one cluster are compared only.
std::uint64_t Knowledge::next_content() {
  static thread_local std::uint64_t last = 0;
  return ++last;
}

Knowledge& KnowledgeHandle::own(int users) {
  if (knowledge_->users != users) {
    auto* const copy = new Knowledge(*knowledge_);
    copy->users = 0;
    *this = KnowledgeHandle(copy);
  }
  knowledge_->content = Knowledge::next_content();
  return *knowledge_;
}

}  // namespace kohort::simulator
