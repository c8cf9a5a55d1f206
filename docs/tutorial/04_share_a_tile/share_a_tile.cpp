// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = A·x, the matrix by tiles and the vector once a cluster: transfers, a phased barrier, a
// multicast.
#include <kohort/kohort.hpp>

#include <cstdio>
#include <vector>

namespace {

using namespace kohort;

constexpr int size = 512;    // A is size × size
constexpr int rows = 64;     // of a team's part of A
constexpr int columns = 32;  // of a tile: 128 B of a row

struct Scratch {
  alignas(128) float a[rows * columns];
  alignas(128) float x[columns];
  TransferBarrier full;
};

template <class Target>
void multiply(Target const& target, float* a, float* x, float* y) {
  using Policy = ClusterPolicy<Target, ClusterDims<4>, ClusterScratch<Scratch>>;
  TileMap<float, 2, Target> const tiles(target, a,
                                        {.extents = {size, size}, .box = {columns, rows}});
  TileMap<float, 1, Target> const parts(target, x, {.extents = {size}, .box = {columns}});
  Policy const policy(target, size / rows, rows);

  parallel_for(
      "multiply", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto scratch = member.cluster_scratch();
        member.init_barriers(BarrierGroup(scratch->full, 1));
        Waiter waiter;
        int const row = member.team_rank();
        float sum = 0;
        for (int column = 0; column < size; column += columns) {
          if (row == 0) {
            member.arrive_expecting(scratch->full, tiles.box_bytes() + parts.box_bytes());
            member.tile_load_async(tiles, {column, member.league_rank() * rows}, scratch->a,
                                   scratch->full);
            member.tile_load_multicast(parts, {column}, scratch->x, scratch->full, ClusterAxis::x);
          }
          member.wait(scratch->full, waiter);
          for (int i = 0; i < columns; ++i) sum += scratch->a[row * columns + i] * scratch->x[i];
          member.cluster_barrier();  // a multicast writes to every team: all have to be done
        }
        y[member.league_rank() * rows + row] = sum;
      });
}

}  // namespace

int main() {
  UnitTarget const target;
  std::vector<float> a(size * size);
  std::vector<float> x(size);
  for (int i = 0; i < size; ++i) {
    x[static_cast<std::size_t>(i)] = static_cast<float>(i % 3);
    for (int j = 0; j < size; ++j)
      a[static_cast<std::size_t>(i * size + j)] = static_cast<float>((i + j) % 5);
  }
  Buffer<float, UnitTarget> device_a(target, a.size());
  Buffer<float, UnitTarget> device_x(target, x.size());
  Buffer<float, UnitTarget> device_y(target, x.size());
  deep_copy(device_a, a);
  deep_copy(device_x, x);
  multiply(target, device_a.data(), device_x.data(), device_y.data());
  std::vector<float> y(size);
  deep_copy(y, device_y);

  int wrong = 0;
  for (std::size_t i = 0; i < size; ++i) {
    float expected = 0;
    for (std::size_t j = 0; j < size; ++j) expected += a[i * size + j] * x[j];
    if (y[i] != expected) ++wrong;
  }
  std::printf("%d of %d rows are wrong; y[0] = %g\n", wrong, size, y[0]);
  return wrong == 0 ? 0 : 1;
}
