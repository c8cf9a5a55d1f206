// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes of tensors on their way to scratch and back, against a plain model on the host.
#include "tile_model.hpp"

namespace kohort::conformance::tile_maps {

inline constexpr int most_bytes = 2048;

struct alignas(1024) Slot {
  unsigned char tile[most_bytes];
  TransferBarrier full;
};

/// Loads random boxes, one a team, and dumps scratch as it lies there.
template <class T, int Rank, class Target>
void loads_match(Target const& target, unsigned seed) {
  using Policy = ClusterPolicy<Target, TeamScratch<Slot>>;
  constexpr int boxes = 6;
  int const threads = team_threads(target, 64);
  std::mt19937 engine(seed);
  for (int repeat = map_count(); repeat > 0; --repeat) {
    Tensor<T, Rank> const tensor = random_tensor<T, Rank>(engine, most_bytes, false);
    auto const memory = upload(target, tensor.memory);
    TileMap<T const, Rank, Target> const map(target, memory.data(), tensor.spec);
    std::vector<int> const corners =
        random_corners<T, Rank>(engine, tensor.spec, Boxes::loaded, boxes);
    auto const places = upload(target, corners);
    int const bytes = map.box_bytes();
    auto const dumps = poisoned<unsigned char>(target, static_cast<std::size_t>(boxes * bytes));
    int const* const place = places.data();
    unsigned char* const dump = dumps.data();
    parallel_for(
        "tile_load", Policy(target, boxes, threads),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          Slot& slot = member.team_scratch();
          member.init_barriers(BarrierGroup(slot.full, 1));
          int const box = member.league_rank();
          if (member.team_rank() == 0) {
            int at[Rank];
            for (int d = 0; d < Rank; ++d) at[d] = place[box * Rank + d];
            member.arrive_expecting(slot.full, bytes);
            member.tile_load_async(map, at, reinterpret_cast<T*>(slot.tile), slot.full);
          }
          Waiter waiter;
          member.wait(slot.full, waiter);
          for (int i = member.team_rank(); i < bytes; i += threads)
            dump[box * bytes + i] = slot.tile[i];
        });
    std::vector<unsigned char> expected;
    for (int box = 0; box < boxes; ++box) append(expected, tensor.box_at(&corners[box * Rank]));
    require_all_equal(download(dumps), expected, tensor.text());
  }
}

/// Stores, or adds, random boxes that several teams write or add to.
template <bool Adds, class T, int Rank, class Target>
void stores_match(Target const& target, unsigned seed) {
  using Policy = ClusterPolicy<Target, TeamScratch<Slot>>;
  // Boxes that are stored must not overlap; sums may.
  constexpr int boxes = Adds ? 6 : 1;
  int const threads = team_threads(target, 64);
  std::mt19937 engine(seed);
  for (int repeat = map_count(); repeat > 0; --repeat) {
    Tensor<T, Rank> tensor = random_tensor<T, Rank>(engine, most_bytes, true);
    auto const memory = upload(target, tensor.memory);
    TileMap<T, Rank, Target> const map(target, memory.data(), tensor.spec);
    std::vector<int> const corners =
        random_corners<T, Rank>(engine, tensor.spec, Boxes::stored, boxes);
    int const bytes = map.box_bytes();
    std::vector<T> const numbers =
        random_elements<T>(engine, static_cast<std::size_t>(boxes * bytes) / sizeof(T));
    auto const places = upload(target, corners);
    auto const sources = upload(target, swizzled_boxes(numbers, tensor.spec.swizzle, bytes));
    int const* const place = places.data();
    unsigned char const* const source = sources.data();
    parallel_for(
        "tile_store", Policy(target, boxes, threads),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          Slot& slot = member.team_scratch();
          TileMap<T, Rank, Target> const& tensor_map = map;  // nvcc: not first in an if constexpr
          int const box = member.league_rank();
          for (int i = member.team_rank(); i < bytes; i += threads)
            slot.tile[i] = source[box * bytes + i];
          member.team_barrier(before_transfer);
          if (member.team_rank() == 0) {
            int at[Rank];
            for (int d = 0; d < Rank; ++d) at[d] = place[box * Rank + d];
            if constexpr (Adds) {
              member.tile_add_async(tensor_map, at, reinterpret_cast<T const*>(slot.tile));
            } else {
              member.tile_store_async(tensor_map, at, reinterpret_cast<T const*>(slot.tile));
            }
            member.wait_stores();
          }
        });
    for (int box = 0; box < boxes; ++box)
      tensor.template put<Adds>(&corners[box * Rank],
                                numbers.data() + static_cast<std::size_t>(box * bytes) / sizeof(T));
    require(same_bytes(download(memory), tensor.memory), "the tensor: " + tensor.text());
  }
}

template <class Target>
void loads_of_1_to_5_dimensions(Target const& target) {
  loads_match<float, 1>(target, 1);
  loads_match<float, 2>(target, 2);
  loads_match<float, 3>(target, 3);
  loads_match<float, 4>(target, 4);
  loads_match<float, 5>(target, 5);
}

template <class Target>
void loads_of_every_element_size(Target const& target) {
  loads_match<float8_e4m3, 2>(target, 6);
  loads_match<std::uint16_t, 3>(target, 7);
  loads_match<double, 2>(target, 8);
}

template <class Target>
void stores_of_1_to_5_dimensions(Target const& target) {
  stores_match<false, std::int32_t, 1>(target, 11);
  stores_match<false, std::int16_t, 2>(target, 12);
  stores_match<false, std::int32_t, 3>(target, 13);
  stores_match<false, std::uint8_t, 4>(target, 14);
  stores_match<false, float, 5>(target, 15);
}

template <class Target>
void sums_of_floats(Target const& target) {
  stores_match<true, float, 2>(target, 21);
  stores_match<true, bfloat16, 2>(target, 22);
  stores_match<true, float16, 3>(target, 23);
}

template <class Target>
void sums_of_integers(Target const& target) {
  stores_match<true, std::int32_t, 3>(target, 24);
  stores_match<true, std::uint32_t, 2>(target, 25);
  stores_match<true, std::uint64_t, 2>(target, 26);
}

namespace {
Rung<UnitTarget> const rung("22_tile_maps",
                            {{"LoadsOf1To5Dimensions", loads_of_1_to_5_dimensions<UnitTarget>},
                             {"LoadsOfEveryElementSize", loads_of_every_element_size<UnitTarget>},
                             {"StoresOf1To5Dimensions", stores_of_1_to_5_dimensions<UnitTarget>},
                             {"SumsOfFloats", sums_of_floats<UnitTarget>},
                             {"SumsOfIntegers", sums_of_integers<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::tile_maps
