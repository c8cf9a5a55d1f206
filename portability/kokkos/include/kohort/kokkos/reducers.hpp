// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kokkos/space_target.hpp>

namespace kohort::Impl {

/// A Kokkos reducer (Kokkos::Min, a user's own, …) as an operation of the core's collectives.
template <class Reducer>
struct ReducerOperation {
  Reducer reducer;

  template <class T>
  KOHORT_FUNCTION T identity() const {
    T value;
    reducer.init(value);
    return value;
  }
  template <class T>
  KOHORT_FUNCTION T operator()(T const& left, T const& right) const {
    T value = left;
    reducer.join(value, right);
    return value;
  }
};

/// What Kokkos makes of a functor and its reducer for a whole launch: pointers, and a final().
template <class Analysed>
struct LaunchOperation {
  Analysed reducer;

  template <class T>
  KOHORT_FUNCTION T identity() const {
    T value;
    reducer.init(&value);
    return value;
  }
  template <class T>
  KOHORT_FUNCTION T operator()(T const& left, T const& right) const {
    T value = left;
    reducer.join(&value, &right);
    return value;
  }
  template <class T>
  KOHORT_FUNCTION void finish(T& total) const {
    reducer.final(&total);
  }
};

/// What Kokkos does to a result that is no reducer: its own default value, and `+=`.
struct PlainSum {
  template <class T>
  KOHORT_FUNCTION T identity() const {
    return T();
  }
  template <class T>
  KOHORT_FUNCTION T operator()(T const& left, T const& right) const {
    T value = left;
    value += right;
    return value;
  }
};

/// A result's operation, and where the result is: a reducer brings both, a scalar is summed up.
template <class Result>
struct NestedResult {
  using value_type = Result;
  static KOHORT_FUNCTION PlainSum operation(Result const&) { return {}; }
  static KOHORT_FUNCTION value_type& place(Result& result) { return result; }
};

template <class Reducer>
requires(Kokkos::is_reducer<Reducer>::value)  //
    struct NestedResult<Reducer> {
  using value_type = typename Reducer::value_type;
  static KOHORT_FUNCTION ReducerOperation<Reducer> operation(Reducer const& reducer) {
    return {reducer};
  }
  static KOHORT_FUNCTION value_type& place(Reducer const& reducer) { return reducer.reference(); }
};

/// The type that a scan's closure (index, value&, is_final) adds up.
template <class Closure>
using ScanValue =
    typename Kokkos::Impl::FunctorAnalysis<Kokkos::Impl::FunctorPatternInterface::SCAN, void,
                                           Closure, void>::value_type;

}  // namespace kohort::Impl
