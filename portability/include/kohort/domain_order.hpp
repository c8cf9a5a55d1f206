// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/macros.hpp>

namespace kohort {

/// Place `rank` of `size` pieces of work in an order for devices whose domains have caches of their
/// own and deal teams out to them in turn: the teams of a domain then work on a run of neighbours.
/// A permutation for any size and number of domains; with one domain the identity. From which
/// domain the device begins to deal does not matter.
///
/// For leagues of single teams. Emulated clusters know their domain, and TaskHandout::by_domain
/// hands them runs without a guess.
constexpr KOHORT_FUNCTION long long order_by_domain(long long rank, long long size, int domains) {
  long long const domain = rank % domains;
  long long const least = size / domains;
  long long const longer = size % domains;  ///< runs that have one more: the first ones
  long long const begin = domain * least + (domain < longer ? domain : longer);
  return begin + rank / domains;
}

}  // namespace kohort
