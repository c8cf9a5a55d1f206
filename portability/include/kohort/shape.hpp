// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/macros.hpp>

#include <string>

namespace kohort {

/// Leaves the cluster's shape or the team's size to the library.
struct AutoType {};
inline constexpr AutoType AUTO{};

/// Up to three extents; what is left out is one.
struct Extents {
  int x = 1;
  int y = 1;
  int z = 1;

  constexpr Extents() = default;
  constexpr KOHORT_FUNCTION Extents(int x_extent, int y_extent = 1, int z_extent = 1)  // NOLINT
      : x(x_extent), y(y_extent), z(z_extent) {}

  constexpr KOHORT_FUNCTION long long count() const { return static_cast<long long>(x) * y * z; }
  constexpr KOHORT_FUNCTION int operator[](int dimension) const {
    return dimension == 0 ? x : dimension == 1 ? y : z;
  }
  constexpr KOHORT_FUNCTION bool operator==(Extents const& other) const {
    return x == other.x && y == other.y && z == other.z;
  }
};

/// Teams of a league, in one, two or three dimensions.
struct League : Extents {
  using Extents::Extents;
};

/// Teams of a cluster, chosen at run time.
struct ClusterShape : Extents {
  using Extents::Extents;
};

/// Trait: teams of a cluster, known to the compiler.
template <int X, int Y = 1, int Z = 1>
struct ClusterDims {
  static_assert(X >= 1 && Y >= 1 && Z >= 1, "a cluster's extents are at least one");
  static constexpr ClusterShape shape{X, Y, Z};
};

/// Threads of a team: a number or AUTO.
struct TeamSize {
  int threads = 0;                                   ///< 0 stands for AUTO
  constexpr TeamSize(int count) : threads(count) {}  // NOLINT: a plain integer is what users write
  constexpr TeamSize(AutoType) {}                    // NOLINT
};

/// "4x2x1", as flags and messages write it.
inline std::string to_string(Extents const& extents) {
  return std::to_string(extents.x) + "x" + std::to_string(extents.y) + "x" +
         std::to_string(extents.z);
}

}  // namespace kohort
