// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scratch of teams, threads and clusters as Views, peers' Views, and tiles of Views.
#include "space.hpp"

#include <cstdint>

namespace kohort_kokkos_test {
namespace {

template <class Member, class Data>
using ScratchView =
    Kokkos::View<Data, typename Member::scratch_memory_space, Kokkos::MemoryUnmanaged>;

/// Two Views a team and one a thread, of both levels: none overlaps another.
template <class Space>
void pieces_do_not_overlap(int level, int vector) {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  constexpr int team = 12;
  constexpr int count = 9;
  using Doubles = ScratchView<Member, double*>;
  using Ints = ScratchView<Member, int*>;
  Policy policy(8, team, vector);
  policy.set_cluster_size(2).set_scratch_size(
      level, Kokkos::PerTeam(Doubles::shmem_size(count) + Ints::shmem_size(count)),
      Kokkos::PerThread(Ints::shmem_size(count)));
  Array<Space, int> wrong("wrong", 2);
  Kokkos::parallel_for(
      "pieces", policy, KOKKOS_LAMBDA(Member const& member) {
        Doubles const doubles(member.team_scratch(level), count);
        Ints const ints(member.team_scratch(level), count);
        Ints const own(member.thread_scratch(level), count);
        if (doubles.data() == nullptr || ints.data() == nullptr || own.data() == nullptr) {
          Kokkos::atomic_inc(&wrong(1));
          return;
        }
        int const mark = member.league_rank() * 1000;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(member, count), [&](int i) {
          doubles(i) = mark + i + 0.5;
          ints(i) = mark + 100 + i;
        });
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, count),
                             [&](int i) { own(i) = mark + member.team_rank() * 10 + i; });
        member.team_barrier();
        bool good = true;
        for (int i = 0; i < count; ++i)
          good = good && doubles(i) == mark + i + 0.5 && ints(i) == mark + 100 + i &&
                 own(i) == mark + member.team_rank() * 10 + i;
        if (!good) Kokkos::atomic_inc(&wrong(0));
      });
  EXPECT_EQ(on_host(wrong)(0), 0);
  EXPECT_EQ(on_host(wrong)(1), 0);
}

/// A View that asks for more than there is has no data, as in Kokkos.
template <class Space>
void too_much_has_no_data() {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  Policy policy(2, 32);
  policy.set_scratch_size(0, Kokkos::PerTeam(64));
  Array<Space, int> none("none", 1);
  Kokkos::parallel_for(
      "too much", policy, KOKKOS_LAMBDA(Member const& member) {
        ScratchView<Member, double*> const large(member.team_scratch(0), 1000);
        if (large.data() == nullptr && member.team_rank() == 0) Kokkos::atomic_inc(&none(0));
      });
  EXPECT_EQ(on_host(none)(0), 2);
}

/// Every team fills its View; every team reads all peers' by coordinates.
template <class Space, class Layout>
void peers_views_have_their_elements(Layout const& layout, int rows, int columns) {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  using Tile =
      Kokkos::View<int**, Layout, typename Member::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  Policy policy(8, 48);
  policy.set_cluster_size(4).set_scratch_size(0, Kokkos::PerTeam(64),
                                              kohort::PerCluster(Tile::shmem_size(layout)));
  Array<Space, int> wrong("wrong", 1);
  Kokkos::parallel_for(
      "peers", policy, KOKKOS_LAMBDA(Member const& member) {
        Tile const mine(member.cluster_scratch(0), layout);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, rows * columns), [&](int i) {
          mine(i / columns, i % columns) = member.cluster_rank() * 10000 + i;
        });
        member.cluster_barrier();
        for (int rank = 0; rank < member.cluster_size(); ++rank) {
          // Read only: a View of const is what a reader would ask for.
          using Read = Kokkos::View<int const**, Layout, typename Member::scratch_memory_space,
                                    Kokkos::MemoryUnmanaged>;
          Read const theirs = member.peer(Read(mine), rank);
          Kokkos::parallel_for(Kokkos::TeamThreadRange(member, rows * columns), [&](int i) {
            if (theirs(i / columns, i % columns) != rank * 10000 + i) Kokkos::atomic_inc(&wrong(0));
          });
        }
      });
  EXPECT_EQ(on_host(wrong)(0), 0);
}

struct Cells {
  int of_team[4];
};

/// The typed scratch of the core's traits, beside Kokkos'.
template <class Space>
void typed_scratch_works_beside() {
  using Policy = kohort::ClusterPolicy<Space, kohort::ClusterDims<2>, kohort::ClusterScratch<Cells>,
                                       kohort::TeamScratch<Cells>, Kokkos::LaunchBounds<64>>;
  using Member = typename Policy::member_type;
  Policy policy(6, 64);
  Array<Space, int> got("got", 6);
  Kokkos::parallel_for(
      "typed", policy, KOKKOS_LAMBDA(Member const& member) {
        auto const mine = member.cluster_scratch();
        if (member.team_rank() == 0) {
          mine->of_team[1] = member.league_rank() + 50;
          member.team_scratch().of_team[2] = 1000;
        }
        member.cluster_barrier();
        if (member.team_rank() == 1)
          got(member.league_rank()) = member.peer(mine, 1 - member.cluster_rank())->of_team[1] +
                                      member.team_scratch().of_team[2];
      });
  auto const all = on_host(got);
  for (int team = 0; team < 6; ++team) EXPECT_EQ(all(team), (team ^ 1) + 1050);
}

/// A tile of a View by the copy engine: the elements at the coordinates, whatever the layout.
template <class Space, class Layout>
void tiles_of_views_are_theirs(Layout const& layout, bool first_index_is_contiguous) {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  using Matrix = Kokkos::View<int**, Layout, typename Space::memory_space>;
  Matrix const matrix(Kokkos::view_alloc("matrix"), layout);
  // By the device: Kokkos copies no padded View from the host.
  int const columns = static_cast<int>(matrix.extent(1));
  int const count = static_cast<int>(matrix.extent(0)) * columns;
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<Space>(0, count), KOKKOS_LAMBDA(int i) {
        matrix(i / columns, i % columns) = i / columns * 1000 + i % columns;
      });
  kohort::TileSpec<2> spec;
  spec.box = {8, 4};
  auto const map = kohort::tile_map_of(Space(), matrix, spec);
  Policy policy(1, 32);
  policy.set_scratch_size(0, Kokkos::PerTeam(1024));
  Array<Space, int> got("got", 32);
  Kokkos::parallel_for(
      "tile", policy, KOKKOS_LAMBDA(Member const& member) {
        auto* const place =
            reinterpret_cast<std::uintptr_t*>(member.team_scratch(0).get_shmem_aligned(512, 128));
        auto* const tile = reinterpret_cast<int*>(place);
        auto& barrier = *reinterpret_cast<kohort::TransferBarrier*>(
            member.team_scratch(0).get_shmem_aligned(16, 16));
        member.init_barriers(kohort::BarrierGroup(barrier, 1));
        kohort::Waiter waiter;
        if (member.team_rank() == 0) {
          member.arrive_expecting(barrier, map.box_bytes());
          member.tile_load_async(map, {4, 2}, tile, barrier);
        }
        member.wait(barrier, waiter);
        got(member.team_rank()) = tile[member.team_rank()];
      });
  auto const all = on_host(got);
  for (int i = 0; i < 32; ++i) {
    int const along = 4 + i % 8;
    int const across = 2 + i / 8;
    EXPECT_EQ(all(i), first_index_is_contiguous ? along * 1000 + across : across * 1000 + along);
  }
}

template <class Space>
class Scratch : public ::testing::Test {};
TYPED_TEST_SUITE(Scratch, Spaces);
TYPED_TEST(Scratch, PiecesDoNotOverlap) {
  for (int level : {0, 1})
    for (int vector : {1, 4}) pieces_do_not_overlap<TypeParam>(level, vector);
}
TYPED_TEST(Scratch, TooMuchHasNoData) { too_much_has_no_data<TypeParam>(); }
TYPED_TEST(Scratch, PeersViewsHaveTheirElements) {
  peers_views_have_their_elements<TypeParam>(Kokkos::LayoutLeft(6, 10), 6, 10);
  peers_views_have_their_elements<TypeParam>(Kokkos::LayoutRight(7, 5), 7, 5);
}
TYPED_TEST(Scratch, TypedScratchWorksBeside) { typed_scratch_works_beside<TypeParam>(); }
TYPED_TEST(Scratch, TilesOfViewsAreTheirs) {
  tiles_of_views_are_theirs<TypeParam>(Kokkos::LayoutRight(20, 32), false);
  tiles_of_views_are_theirs<TypeParam>(Kokkos::LayoutLeft(32, 20), true);
  tiles_of_views_are_theirs<TypeParam>(Kokkos::LayoutStride(20, 40, 32, 1), false);
  tiles_of_views_are_theirs<TypeParam>(Kokkos::LayoutStride(32, 1, 20, 36), true);
  // What an extent is does not change which dimension is the contiguous one.
  EXPECT_THROW(tiles_of_views_are_theirs<TypeParam>(Kokkos::LayoutRight(20, 1), false),
               kohort::TileMapError);
}

}  // namespace
}  // namespace kohort_kokkos_test
