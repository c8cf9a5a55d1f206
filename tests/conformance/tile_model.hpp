// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device.hpp"

#include <cstdlib>
#include <cstring>
#include <random>
#include <sstream>

/// What a tile transfer does, written down for the host.
namespace kohort::conformance {

template <class T, int Rank>
struct Tensor {
  TileSpec<Rank> spec;
  std::vector<T> memory;

  /// Where an element is in `memory`; -1 outside the tensor.
  long long index_of(int const* at, std::array<int, Rank> const& step) const {
    long long index = 0;
    for (int d = 0; d < Rank; ++d) {
      long long const coordinate = static_cast<long long>(at[d]) + step[d];
      if (coordinate < 0 || coordinate >= spec.extents[d]) return -1;
      index += coordinate * spec.strides[d];
    }
    return index;
  }

  /// Calls body(index, k) for each element of the box, k counting them as they follow in scratch.
  template <class Body>
  void for_each_of_box(int const* at, Body const& body) const {
    std::array<int, Rank> step{};
    int elements = 1;
    for (int const extent : spec.box) elements *= extent;
    for (int k = 0; k < elements; ++k) {
      int rest = k;
      for (int d = 0; d < Rank; ++d) {
        step[d] = rest % spec.box[d];
        rest /= spec.box[d];
      }
      body(index_of(at, step), k);
    }
  }

  /// The box as it lies in scratch.
  std::vector<unsigned char> box_at(int const* at) const {
    std::vector<unsigned char> bytes;
    for_each_of_box(at, [&](long long index, int k) {
      bytes.resize(static_cast<std::size_t>(k + 1) * sizeof(T));
      if (index >= 0)
        std::memcpy(&bytes[static_cast<std::size_t>(k) * sizeof(T)],
                    &memory[static_cast<std::size_t>(index)], sizeof(T));
    });
    return swizzled(bytes, spec.swizzle);
  }

  template <bool Adds>
  void put(int const* at, T const* elements) {
    for_each_of_box(at, [&](long long index, int k) {
      if (index < 0) return;
      T& cell = memory[static_cast<std::size_t>(index)];
      if constexpr (Adds) {
        cell = static_cast<T>(cell + elements[k]);
      } else {
        cell = elements[k];
      }
    });
  }

  static std::vector<unsigned char> swizzled(std::vector<unsigned char> const& plain,
                                             Swizzle swizzle) {
    std::vector<unsigned char> bytes(plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i)
      bytes[swizzled_offset(swizzle, static_cast<std::uint32_t>(i))] = plain[i];
    return bytes;
  }

  std::string text() const {
    std::ostringstream text;
    text << sizeof(T) << " B elements, swizzle " << static_cast<int>(spec.swizzle);
    for (int d = 0; d < Rank; ++d)
      text << "; extent " << spec.extents[d] << " stride " << spec.strides[d] << " box "
           << spec.box[d];
    return text.str();
  }
};

inline int random_up_to(std::mt19937& engine, int least, int most) {
  return std::uniform_int_distribution<int>(least, most)(engine);
}

/// Maps a case tries: 6, or as many as KOHORT_CONFORMANCE_MAPS says.
inline int map_count() {
  char const* const asked = std::getenv("KOHORT_CONFORMANCE_MAPS");
  int const count = asked == nullptr ? 6 : std::atoi(asked);
  require(count > 0, "KOHORT_CONFORMANCE_MAPS is a number from 1 on");
  return count;
}

/// Small whole numbers, whose sums are exact in every type; no two neighbours alike.
template <class T>
std::vector<T> random_elements(std::mt19937& engine, std::size_t count) {
  std::vector<T> elements(count);
  for (T& element : elements) {
    if constexpr (std::is_integral_v<T>) {
      element = static_cast<T>(random_up_to(engine, 0, 100));
    } else {
      element = static_cast<T>(static_cast<float>(random_up_to(engine, -15, 15)));
    }
  }
  return elements;
}

/// A tensor with gaps between its rows, and a box of at most `most_bytes`. Rows that are stored end
/// at a multiple of 16 B.
template <class T, int Rank>
Tensor<T, Rank> random_tensor(std::mt19937& engine, int most_bytes, bool is_stored_to) {
  Tensor<T, Rank> tensor;
  TileSpec<Rank>& spec = tensor.spec;
  constexpr int unit = static_cast<int>(16 / sizeof(T));  // elements of 16 B
  spec.swizzle = static_cast<Swizzle>(random_up_to(engine, 0, 3));
  // A row fills the swizzle, or any 16 B up to 256 elements where there is none.
  int const row_units = spec.swizzle == Swizzle::none
                            ? random_up_to(engine, 1, std::min(16, 256 / unit))
                            : 1 << static_cast<int>(spec.swizzle);
  spec.box[0] = row_units * unit;
  spec.extents[0] = random_up_to(engine, 1, 2 * spec.box[0]);
  spec.strides[0] = 1;
  int bytes = row_units * 16;
  long long stride = (spec.extents[0] + unit - 1) / unit * unit;
  if (is_stored_to) spec.extents[0] = stride;
  for (int d = 1; d < Rank; ++d) {
    spec.box[d] = random_up_to(engine, 1, std::max(1, std::min(7, most_bytes / bytes)));
    bytes *= spec.box[d];
    spec.extents[d] = random_up_to(engine, 1, 9);
    spec.strides[d] = stride + unit * random_up_to(engine, 0, 2);
    stride = spec.strides[d] * spec.extents[d];
  }
  tensor.memory = random_elements<T>(engine, static_cast<std::size_t>(stride));
  return tensor;
}

/// Which boxes are wanted: of a load, some of which may lie before the tensor, or of a store.
enum class Boxes { loaded, stored };

/// A place along one dimension; dimension 0 has pieces of 16 B.
template <class T, int Rank>
int random_corner(std::mt19937& engine, TileSpec<Rank> const& spec, int d, Boxes boxes,
                  bool may_lie_before) {
  int const first =
      boxes == Boxes::stored ? 0 : -spec.box[d] / 2 - (may_lie_before ? spec.box[d] : 0);
  int const unit = d == 0 ? static_cast<int>(16 / sizeof(T)) : 1;
  return random_up_to(engine, first / unit, static_cast<int>(spec.extents[d]) / unit) * unit;
}

/// The first elements of boxes, some of which hang over on either side, or lie outside.
template <class T, int Rank>
std::vector<int> random_corners(std::mt19937& engine, TileSpec<Rank> const& spec, Boxes boxes,
                                int count) {
  std::vector<int> corners;
  for (int box = 0; box < count; ++box)
    for (int d = 0; d < Rank; ++d)
      corners.push_back(random_corner<T, Rank>(engine, spec, d, boxes, box == 0));
  return corners;
}

template <class T>
std::vector<unsigned char> swizzled_boxes(std::vector<T> const& elements, Swizzle swizzle,
                                          int box_bytes) {
  std::vector<unsigned char> all;
  std::size_t const bytes = elements.size() * sizeof(T);
  auto const* const first = reinterpret_cast<unsigned char const*>(elements.data());
  for (std::size_t at = 0; at < bytes; at += static_cast<std::size_t>(box_bytes)) {
    std::vector<unsigned char> const box(first + at, first + at + box_bytes);
    std::vector<unsigned char> const laid = Tensor<T, 1>::swizzled(box, swizzle);
    all.insert(all.end(), laid.begin(), laid.end());
  }
  return all;
}

inline void append(std::vector<unsigned char>& all, std::vector<unsigned char> const& more) {
  all.insert(all.end(), more.begin(), more.end());
}

template <class T>
bool same_bytes(std::vector<T> const& left, std::vector<T> const& right) {
  return left.size() == right.size() &&
         std::memcmp(left.data(), right.data(), left.size() * sizeof(T)) == 0;
}

}  // namespace kohort::conformance
