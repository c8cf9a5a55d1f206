// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kokkos/member.hpp>

#include <type_traits>

namespace kohort {
namespace Impl {

/// Whose threads share a nested loop.
enum class NestedGroup { team_threads, team_lanes, thread_lanes, cluster_threads, cluster_teams };

/// What one thread does of a nested loop over `begin` … `end` - 1.
template <class Member, NestedGroup Group, class Index>
class NestedRange {
 public:
  using index_type = Index;

  KOHORT_FUNCTION NestedRange(Member const& member, Index begin, Index end)
      : member_(member), begin_(begin), end_(end) {}

  KOHORT_FUNCTION Member const& member() const { return member_; }
  KOHORT_FUNCTION Index begin() const { return begin_; }
  KOHORT_FUNCTION Index end() const { return end_; }

  /// My place among those that share the loop, and their number.
  KOHORT_FUNCTION int rank() const {
    if constexpr (Group == NestedGroup::team_threads) return member_.team_rank();
    if constexpr (Group == NestedGroup::team_lanes) return member_.thread_rank();
    if constexpr (Group == NestedGroup::thread_lanes) return member_.vector_rank();
    if constexpr (Group == NestedGroup::cluster_teams) return member_.cluster_rank();
    if constexpr (Group == NestedGroup::cluster_threads)
      return member_.cluster_rank() * member_.team_size() + member_.team_rank();
  }
  KOHORT_FUNCTION int size() const {
    if constexpr (Group == NestedGroup::team_threads) return member_.team_size();
    if constexpr (Group == NestedGroup::team_lanes) return member_.thread_count();
    if constexpr (Group == NestedGroup::thread_lanes) return member_.vector_length();
    if constexpr (Group == NestedGroup::cluster_teams) return member_.cluster_size();
    if constexpr (Group == NestedGroup::cluster_threads)
      return member_.cluster_size() * member_.team_size();
  }

  template <class Body>
  KOHORT_FUNCTION void for_each(Body const& body) const {
    // An index of 8 bits could not step over a team's threads.
    using Step = std::common_type_t<Index, int>;
    Step const stride = static_cast<Step>(size());
    Step const end = static_cast<Step>(end_);
    for (Step index = static_cast<Step>(begin_) + static_cast<Step>(rank()); index < end;
         index += stride)
      body(static_cast<Index>(index));
  }

  /// Combines what the group's threads found, each counted once, in all of them.
  template <class T, class Operation>
  KOHORT_FUNCTION T combine(T const& mine, Operation const& operation, CallSite site) const {
    if constexpr (Group == NestedGroup::thread_lanes)
      return member_.vector_reduce(mine, operation, site);
    if constexpr (Group == NestedGroup::team_lanes)
      return member_.core().team_reduce(mine, operation, site);
    if constexpr (Group == NestedGroup::team_threads)
      return member_.core().team_reduce(member_.of_first_lane(mine, operation), operation, site);
    if constexpr (Group == NestedGroup::cluster_threads)
      return member_.core().cluster_reduce(member_.of_first_lane(mine, operation), operation, site);
    if constexpr (Group == NestedGroup::cluster_teams) {
      T const once = member_.thread_rank() == 0 ? mine : operation.template identity<T>();
      return member_.core().cluster_reduce(once, operation, site);
    }
  }

 private:
  Member const& member_;
  Index begin_;
  Index end_;
};

/// A scan in rounds of one index a thread: first what each brings, then the call that may use what
/// those below brought. @return the total, in all threads
template <class Member, NestedGroup Group, class Index, class Closure, class Operation, class T>
KOHORT_FUNCTION T scan_rounds(NestedRange<Member, Group, Index> const& range,
                              Closure const& closure, Operation const& operation, T before,
                              CallSite site) {
  static_assert(Group == NestedGroup::team_threads || Group == NestedGroup::team_lanes ||
                    Group == NestedGroup::thread_lanes,
                "kohort: a nested scan runs over TeamThreadRange, TeamVectorRange or "
                "ThreadVectorRange");
  Member const& member = range.member();
  using Step = std::common_type_t<Index, int>;
  Step const end = static_cast<Step>(range.end());
  Step const stride = static_cast<Step>(range.size());
  for (Step first = static_cast<Step>(range.begin()); first < end; first += stride) {
    Step const at = first + static_cast<Step>(range.rank());
    bool const is_mine = at < end;
    Index const index = static_cast<Index>(at);
    T mine = operation.template identity<T>();
    if (is_mine) closure(index, mine, false);
    T below;
    if constexpr (Group == NestedGroup::thread_lanes) {
      below = member.vector_scan(mine, operation, site);
    } else if constexpr (Group == NestedGroup::team_lanes) {
      below = member.core().team_scan(mine, operation, site);
    } else {
      below = member.core().team_scan(member.of_first_lane(mine, operation), operation, site);
      below = member.vector_broadcast(below, 0, site);
    }
    T value = operation(before, below);
    if (is_mine) closure(index, value, true);
    before = operation(before, range.combine(mine, operation, site));
  }
  return before;
}

template <class Begin, class End>
using CommonIndex = std::common_type_t<Begin, End>;

}  // namespace Impl

/// 0 … count - 1 over all threads of the cluster.
template <Impl::AKokkosMember Member, class Index>
KOHORT_FUNCTION auto ClusterThreadRange(Member const& member, Index count) {
  return Impl::NestedRange<Member, Impl::NestedGroup::cluster_threads, Index>(member, 0, count);
}
template <Impl::AKokkosMember Member, class Begin, class End>
KOHORT_FUNCTION auto ClusterThreadRange(Member const& member, Begin begin, End end) {
  return Impl::NestedRange<Member, Impl::NestedGroup::cluster_threads,
                           Impl::CommonIndex<Begin, End>>(member, begin, end);
}

/// 0 … count - 1 over the teams of the cluster: all threads of a team get the same indices.
template <Impl::AKokkosMember Member, class Index>
KOHORT_FUNCTION auto ClusterTeamRange(Member const& member, Index count) {
  return Impl::NestedRange<Member, Impl::NestedGroup::cluster_teams, Index>(member, 0, count);
}
template <Impl::AKokkosMember Member, class Begin, class End>
KOHORT_FUNCTION auto ClusterTeamRange(Member const& member, Begin begin, End end) {
  return Impl::NestedRange<Member, Impl::NestedGroup::cluster_teams, Impl::CommonIndex<Begin, End>>(
      member, begin, end);
}

/// single(PerCluster(member), body): one thread of the cluster.
template <Impl::AKokkosMember Member>
KOHORT_FUNCTION SingleOf<Member, Impl::PerClusterTag> PerCluster(Member const& member) {
  return {member};
}

}  // namespace kohort
