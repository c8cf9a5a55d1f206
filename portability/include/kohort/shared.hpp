// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/macros.hpp>

#include <cstddef>
#include <type_traits>

namespace kohort {
namespace Impl {

/// The one place that makes handles; users only receive them.
struct HandleFactory;

template <class T>
struct HandleBase {
  using element_type = std::remove_extent_t<T>;

  KOHORT_FUNCTION element_type& operator[](std::ptrdiff_t index) const requires std::is_array_v<T> {
    return data_[index];
  }
  KOHORT_FUNCTION element_type& operator*() const requires(!std::is_array_v<T>) { return *data_; }
  KOHORT_FUNCTION element_type* operator->() const requires(!std::is_array_v<T>) { return data_; }
  /// Elements of an array object; one of anything else.
  KOHORT_FUNCTION int size() const {
    if constexpr (std::is_unbounded_array_v<T>) {
      return count_;
    } else if constexpr (std::is_array_v<T>) {
      return static_cast<int>(std::extent_v<T>);
    } else {
      return 1;
    }
  }

 protected:
  friend struct HandleFactory;
  KOHORT_FUNCTION HandleBase(element_type* data, int count) : data_(data), count_(count) {}

  element_type* data_;
  int count_;
};

}  // namespace Impl

/// A cluster-scratch object of the calling team, which peers can map.
///
/// `T` is the trait's type: `Shared<float[256]>` is indexed, `Shared<State>` is used through `->`
/// and `*`, `Shared<float[]>` is a dynamic array that knows its size. Copying the handle copies no
/// data. Valid while the kernel runs.
template <class T>
class Shared : public Impl::HandleBase<T> {
  friend struct Impl::HandleFactory;
  using Impl::HandleBase<T>::HandleBase;
};

/// A peer's cluster-scratch object: a handle, never a copy.
///
/// Loads, stores and atomics through it reach the peer's memory: 195 to 213 cycles a load on an
/// H200, against 28 for one's own (docs/results/h200.md). Valid until the cluster's last barrier.
template <class T>
class Peer : public Impl::HandleBase<T> {
 public:
  /// The rank in the cluster of the team that owns the object.
  KOHORT_FUNCTION int rank() const { return rank_; }

 private:
  friend struct Impl::HandleFactory;
  using typename Impl::HandleBase<T>::element_type;
  KOHORT_FUNCTION Peer(element_type* data, int count, int rank)
      : Impl::HandleBase<T>(data, count), rank_(rank) {}

  int rank_;
};

namespace Impl {

struct HandleFactory {
  template <class T>
  static KOHORT_FUNCTION Shared<T> shared(std::remove_extent_t<T>* data, int count = 0) {
    return Shared<T>(data, count);
  }
  template <class T>
  static KOHORT_FUNCTION Peer<T> peer(std::remove_extent_t<T>* data, int count, int rank) {
    return Peer<T>(data, count, rank);
  }
  template <class T>
  static KOHORT_FUNCTION std::remove_extent_t<T>* data(HandleBase<T> const& handle) {
    return handle.data_;
  }
  template <class T>
  static KOHORT_FUNCTION int count(HandleBase<T> const& handle) {
    return handle.count_;
  }
};

}  // namespace Impl
}  // namespace kohort
