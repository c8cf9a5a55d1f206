// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kokkos/ranges.hpp>

/// Kokkos' nested patterns for our member: overloads where Kokkos has those of its own members.
namespace Kokkos {

#define KOHORT_KOKKOS_RANGE(NAME, GROUP)                                                         \
  template <kohort::Impl::AKokkosMember Member, class Index>                                     \
  KOHORT_FUNCTION auto NAME(Member const& member, Index count) {                                 \
    return kohort::Impl::NestedRange<Member, kohort::Impl::NestedGroup::GROUP, Index>(member, 0, \
                                                                                      count);    \
  }                                                                                              \
  template <kohort::Impl::AKokkosMember Member, class Begin, class End>                          \
  KOHORT_FUNCTION auto NAME(Member const& member, Begin begin, End end) {                        \
    return kohort::Impl::NestedRange<Member, kohort::Impl::NestedGroup::GROUP,                   \
                                     kohort::Impl::CommonIndex<Begin, End>>(member, begin, end); \
  }

KOHORT_KOKKOS_RANGE(TeamThreadRange, team_threads)
KOHORT_KOKKOS_RANGE(TeamVectorRange, team_lanes)
KOHORT_KOKKOS_RANGE(ThreadVectorRange, thread_lanes)
#undef KOHORT_KOKKOS_RANGE

template <class Member, kohort::Impl::NestedGroup Group, class Index, class Closure>
KOHORT_FUNCTION void parallel_for(kohort::Impl::NestedRange<Member, Group, Index> const& range,
                                  Closure const& closure) {
  range.for_each(closure);
}

/// `result` is a scalar, which receives the sum, or a reducer. All threads of the range's group
/// (team, thread or cluster) call it and receive the same.
template <class Member, kohort::Impl::NestedGroup Group, class Index, class Closure, class Result>
KOHORT_FUNCTION void parallel_reduce(kohort::Impl::NestedRange<Member, Group, Index> const& range,
                                     Closure const& closure, Result&& result,
                                     kohort::CallSite site = kohort::CallSite::current()) {
  using Nested = kohort::Impl::NestedResult<std::remove_cvref_t<Result>>;
  using Value = typename Nested::value_type;
  auto const operation = Nested::operation(result);
  Value mine = operation.template identity<Value>();
  range.for_each([&](Index index) { closure(index, mine); });
  Nested::place(result) = range.combine(mine, operation, site);
}

template <class Member, kohort::Impl::NestedGroup Group, class Index, class Closure>
KOHORT_FUNCTION void parallel_scan(kohort::Impl::NestedRange<Member, Group, Index> const& range,
                                   Closure const& closure,
                                   kohort::CallSite site = kohort::CallSite::current()) {
  using Value = kohort::Impl::ScanValue<Closure>;
  kohort::Impl::scan_rounds(range, closure, kohort::Impl::PlainSum{}, Value(), site);
}

/// `result` is a scalar, which receives the total, or a reducer.
template <class Member, kohort::Impl::NestedGroup Group, class Index, class Closure, class Result>
requires(!std::is_same_v<std::remove_cvref_t<Result>, kohort::CallSite>)  //
    KOHORT_FUNCTION void parallel_scan(kohort::Impl::NestedRange<Member, Group, Index> const& range,
                                       Closure const& closure, Result&& result,
                                       kohort::CallSite site = kohort::CallSite::current()) {
  using Nested = kohort::Impl::NestedResult<std::remove_cvref_t<Result>>;
  auto const operation = Nested::operation(result);
  auto const identity = operation.template identity<typename Nested::value_type>();
  Nested::place(result) = kohort::Impl::scan_rounds(range, closure, operation, identity, site);
}

// One of a group ---------------------------------------------------------------------------------

template <kohort::Impl::AKokkosMember Member>
KOHORT_FUNCTION Impl::ThreadSingleStruct<Member> PerTeam(Member const& member) {
  return Impl::ThreadSingleStruct<Member>(member);
}
template <kohort::Impl::AKokkosMember Member>
KOHORT_FUNCTION Impl::VectorSingleStruct<Member> PerThread(Member const& member) {
  return Impl::VectorSingleStruct<Member>(member);
}

template <kohort::Impl::AKokkosMember Member, class Closure>
KOHORT_FUNCTION void single(Impl::ThreadSingleStruct<Member> const& who, Closure const& closure) {
  if (who.team_member.thread_rank() == 0) closure();
}
template <kohort::Impl::AKokkosMember Member, class Closure>
KOHORT_FUNCTION void single(Impl::VectorSingleStruct<Member> const& who, Closure const& closure) {
  if (who.team_member.vector_rank() == 0) closure();
}
template <kohort::Impl::AKokkosMember Member, class Closure>
KOHORT_FUNCTION void single(kohort::SingleOf<Member, kohort::Impl::PerClusterTag> const& who,
                            Closure const& closure) {
  if (who.member.thread_rank() == 0 && who.member.cluster_rank() == 0) closure();
}

/// The same, after which `value`, which the closure set, is in all of the group.
template <kohort::Impl::AKokkosMember Member, class Closure, class T>
KOHORT_FUNCTION void single(Impl::ThreadSingleStruct<Member> const& who, Closure const& closure,
                            T& value, kohort::CallSite site = kohort::CallSite::current()) {
  if (who.team_member.thread_rank() == 0) closure(value);
  value = who.team_member.core().team_broadcast(value, 0, site);
}
template <kohort::Impl::AKokkosMember Member, class Closure, class T>
KOHORT_FUNCTION void single(Impl::VectorSingleStruct<Member> const& who, Closure const& closure,
                            T& value, kohort::CallSite site = kohort::CallSite::current()) {
  if (who.team_member.vector_rank() == 0) closure(value);
  value = who.team_member.vector_broadcast(value, 0, site);
}
template <kohort::Impl::AKokkosMember Member, class Closure, class T>
KOHORT_FUNCTION void single(kohort::SingleOf<Member, kohort::Impl::PerClusterTag> const& who,
                            Closure const& closure, T& value,
                            kohort::CallSite site = kohort::CallSite::current()) {
  if (who.member.thread_rank() == 0 && who.member.cluster_rank() == 0) closure(value);
  value = who.member.core().cluster_broadcast(value, 0, site);
}

}  // namespace Kokkos
