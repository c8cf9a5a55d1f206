// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/memory_order.hpp>

namespace kohort::Impl {

/// Backend seam of emulated clusters: what a target that stands on them says of itself.
///
///   static constexpr Scope domain
///       the narrowest scope that reaches every team of a domain: device where one L2 serves all,
///       cluster where a domain has an L2 of its own and the target's atomics know such a scope
///   template <class Thread> static int domain_key(Thread const&, EmulatedLaunch const&)
///       of the domain that the team runs in: 0 … EmulatedLaunch::keys - 1, and no more than a key
///   template <class Thread> static void seated(Thread const&, Seat const&)
///       by every thread of a team that is a rank of a cluster from here on
///   template <class Thread> static void pause(Thread const&)
///       within a loop that polls
///   static constexpr bool watches_copies
///       whether it has: static void note_copy(Thread const&, void const*, int bytes, bool writes)
///       told of device memory that copies touch
///   template <class Thread> [[noreturn]] static void no_room(Thread const&)
///       no domain could complete a cluster: the host's reckoning of the device was wrong
///
/// The target's ThreadHandle has, beside the members of every target's:
///   int worker()   the team's number among those that were launched
template <class Target>
struct EmulatedPlatform;

}  // namespace kohort::Impl
