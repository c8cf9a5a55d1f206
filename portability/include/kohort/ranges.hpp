// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/call_site.hpp>
#include <kohort/macros.hpp>
#include <kohort/operations.hpp>

#include <type_traits>

namespace kohort {
namespace Impl {

/// Completed by a plugin whose member has ranges of its own.
template <class Member>
inline constexpr bool brings_own_ranges = false;

template <class Member>
concept HasCoreRanges = std::is_class_v<Member> && !brings_own_ranges<Member>;

struct PerTeamTag {};
struct PerClusterTag {};
struct PerSubgroupTag {};

}  // namespace Impl

/// The indices first, first + stride, … below `end`: what one thread does of a shared loop.
/// Works in a range-for, and with the nested parallel_for and parallel_reduce.
template <class Member, class Group>
class StridedRange {
 public:
  class Iterator {
   public:
    KOHORT_FUNCTION Iterator(int index, int stride) : index_(index), stride_(stride) {}
    KOHORT_FUNCTION int operator*() const { return index_; }
    KOHORT_FUNCTION Iterator& operator++() {
      index_ += stride_;
      return *this;
    }
    /// Holds while the index is below `end`: the stride may step over it.
    KOHORT_FUNCTION bool operator!=(Iterator const& end) const { return index_ < end.index_; }

   private:
    int index_;
    int stride_;
  };

  KOHORT_FUNCTION StridedRange(Member const& member, int first, int end, int stride)
      : member_(member), first_(first), end_(end), stride_(stride) {}

  KOHORT_FUNCTION Iterator begin() const { return Iterator(first_, stride_); }
  KOHORT_FUNCTION Iterator end() const { return Iterator(end_, stride_); }
  KOHORT_FUNCTION Member const& member() const { return member_; }

 private:
  Member const& member_;
  int first_;
  int end_;
  int stride_;
};

/// 0 … count - 1 over the threads of the team.
template <Impl::HasCoreRanges Member>
KOHORT_FUNCTION StridedRange<Member, Impl::PerTeamTag> TeamThreadRange(Member const& member,
                                                                       int count) {
  return {member, member.team_rank(), count, member.team_size()};
}

/// 0 … count - 1 over all threads of the cluster.
template <Impl::HasCoreRanges Member>
KOHORT_FUNCTION StridedRange<Member, Impl::PerClusterTag> ClusterThreadRange(Member const& member,
                                                                             int count) {
  return {member, member.cluster_rank() * member.team_size() + member.team_rank(), count,
          member.cluster_size() * member.team_size()};
}

/// 0 … count - 1 over the teams of the cluster: every thread of a team gets the same indices.
template <Impl::HasCoreRanges Member>
KOHORT_FUNCTION StridedRange<Member, void> ClusterTeamRange(Member const& member, int count) {
  return {member, member.cluster_rank(), count, member.cluster_size()};
}

/// 0 … count - 1 over the lanes of the subgroup.
template <Impl::HasCoreRanges Member>
KOHORT_FUNCTION StridedRange<Member, Impl::PerSubgroupTag> SubgroupLaneRange(Member const& member,
                                                                             int count) {
  return {member, member.lane(), count, member.subgroup_size()};
}

/// Calls `body(index)` for this thread's share. No barrier at the end, as in Kokkos.
template <class Member, class Group, class Body>
KOHORT_FUNCTION void parallel_for(StridedRange<Member, Group> const& range, Body const& body) {
  for (int index : range) body(index);
}

/// Calls `body(index, update)` for this thread's share and combines the group's updates into
/// `result`, in every thread. Collective over the range's team or cluster.
template <class Member, class Group, class Body, class T, class Operation = Sum>
KOHORT_FUNCTION void parallel_reduce(StridedRange<Member, Group> const& range, Body const& body,
                                     T& result, Operation operation = {},
                                     CallSite site = CallSite::current()) {
  static_assert(
      std::is_same_v<Group, Impl::PerTeamTag> || std::is_same_v<Group, Impl::PerClusterTag>,
      "a nested reduction runs over TeamThreadRange or ClusterThreadRange");
  T update = operation.template identity<T>();
  for (int index : range) body(index, update);
  if constexpr (std::is_same_v<Group, Impl::PerTeamTag>) {
    result = range.member().team_reduce(update, operation, site);
  } else {
    result = range.member().cluster_reduce(update, operation, site);
  }
}

/// Who runs a single(): one thread of the group.
template <class Member, class Group>
struct SingleOf {
  Member const& member;
};

template <Impl::HasCoreRanges Member>
KOHORT_FUNCTION SingleOf<Member, Impl::PerTeamTag> PerTeam(Member const& member) {
  return {member};
}
template <Impl::HasCoreRanges Member>
KOHORT_FUNCTION SingleOf<Member, Impl::PerClusterTag> PerCluster(Member const& member) {
  return {member};
}
template <Impl::HasCoreRanges Member>
KOHORT_FUNCTION SingleOf<Member, Impl::PerSubgroupTag> PerSubgroup(Member const& member) {
  return {member};
}

/// Calls `body()` in the group's first thread. No barrier.
template <class Member, class Group, class Body>
KOHORT_FUNCTION void single(SingleOf<Member, Group> const& who, Body const& body) {
  bool first;
  if constexpr (std::is_same_v<Group, Impl::PerSubgroupTag>) {
    first = who.member.lane() == 0;
  } else if constexpr (std::is_same_v<Group, Impl::PerTeamTag>) {
    first = who.member.team_rank() == 0;
  } else {
    first = who.member.team_rank() == 0 && who.member.cluster_rank() == 0;
  }
  if (first) body();
}

}  // namespace kohort
