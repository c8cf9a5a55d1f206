// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/call_site.hpp>
#include <kohort/macros.hpp>

namespace kohort {
namespace Impl {

/// Backend seam: the per-thread operations of a target. docs/decisions/0002-seams.md lists what
/// each member must do.
template <class Target>
class ThreadHandle;

}  // namespace Impl

/// Proof that this thread arrived at the cluster barrier and owes it a wait. Move-only: a copy
/// would be waited for twice. On the simulator a token that dies unspent is the finding
/// `arrive-token-dropped`.
template <class Target>
class [[nodiscard(
    "pass it to cluster_wait(): an arrive without a wait breaks the next barrier")]] ArriveToken {
 public:
  KOHORT_FUNCTION ArriveToken(ArriveToken && other) noexcept
      : thread_(other.thread_), site_(other.site_), armed_(other.armed_) {
    other.armed_ = false;
  }
  ArriveToken(ArriveToken const&) = delete;
  ArriveToken& operator=(ArriveToken const&) = delete;
  ArriveToken& operator=(ArriveToken&&) = delete;

  KOHORT_FUNCTION ~ArriveToken() {
    if (armed_) thread_.arrive_token_dropped(site_);
  }

 private:
  template <class, class>
  friend class ClusterMember;

  KOHORT_FUNCTION ArriveToken(Impl::ThreadHandle<Target> const& thread, CallSite site)
      : thread_(thread), site_(site) {}

  /// @return false if the token was spent before
  KOHORT_FUNCTION bool spend() {
    bool const armed = armed_;
    armed_ = false;
    return armed;
  }

  Impl::ThreadHandle<Target> thread_;
  CallSite site_;
  bool armed_ = true;
};

}  // namespace kohort
