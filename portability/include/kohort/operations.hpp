// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/macros.hpp>

#include <limits>

namespace kohort {
namespace Impl {
// nvcc lets device code read a constant, but not call the constexpr function that gives it.
template <class T>
inline constexpr T lowest_value = std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T largest_value = std::numeric_limits<T>::max();
template <class T>
inline constexpr T infinite_value = std::numeric_limits<T>::infinity();
}  // namespace Impl

/// The operations of reductions and scans: associative and commutative up to rounding, each with
/// its identity. A user's own type needs the same two members.
struct Sum {
  template <class T>
  static constexpr KOHORT_FUNCTION T identity() {
    return T(0);
  }
  template <class T>
  constexpr KOHORT_FUNCTION T operator()(T const& left, T const& right) const {
    return left + right;
  }
};

struct Product {
  template <class T>
  static constexpr KOHORT_FUNCTION T identity() {
    return T(1);
  }
  template <class T>
  constexpr KOHORT_FUNCTION T operator()(T const& left, T const& right) const {
    return left * right;
  }
};

struct Min {
  template <class T>
  static constexpr KOHORT_FUNCTION T identity() {
    if constexpr (std::numeric_limits<T>::has_infinity) {
      return Impl::infinite_value<T>;
    } else {
      return Impl::largest_value<T>;
    }
  }
  template <class T>
  constexpr KOHORT_FUNCTION T operator()(T const& left, T const& right) const {
    return right < left ? right : left;
  }
};

struct Max {
  template <class T>
  static constexpr KOHORT_FUNCTION T identity() {
    if constexpr (std::numeric_limits<T>::has_infinity) {
      return -Impl::infinite_value<T>;
    } else {
      return Impl::lowest_value<T>;
    }
  }
  template <class T>
  constexpr KOHORT_FUNCTION T operator()(T const& left, T const& right) const {
    return left < right ? right : left;
  }
};

struct BitAnd {
  template <class T>
  static constexpr KOHORT_FUNCTION T identity() {
    return static_cast<T>(~T(0));
  }
  template <class T>
  constexpr KOHORT_FUNCTION T operator()(T const& left, T const& right) const {
    return left & right;
  }
};

struct BitOr {
  template <class T>
  static constexpr KOHORT_FUNCTION T identity() {
    return T(0);
  }
  template <class T>
  constexpr KOHORT_FUNCTION T operator()(T const& left, T const& right) const {
    return left | right;
  }
};

struct BitXor {
  template <class T>
  static constexpr KOHORT_FUNCTION T identity() {
    return T(0);
  }
  template <class T>
  constexpr KOHORT_FUNCTION T operator()(T const& left, T const& right) const {
    return left ^ right;
  }
};

}  // namespace kohort
