// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between device memory and scratch, and from scratch to a peer's.
#include "device.hpp"

namespace kohort::conformance::copies {

inline constexpr int most_elements = 256;  ///< a device may have less than 4 KB of scratch

struct alignas(16) Incoming {
  int tile[2][most_elements];
  TransferBarrier full[2];
};

/// Two slots, so that a copy is under way while the other is read.
template <class Target>
void copies_to_scratch_bring_what_was_there(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<Incoming>>;
  int const threads = team_threads(target, 128);
  for (int elements : {4, 60, most_elements}) {
    int const teams = 3;
    int const rounds = 5;
    std::vector<int> const input = random_values<int>(teams * rounds * elements, 11);
    auto const inputs = upload(target, input);
    auto const outputs = poisoned<int>(target, input.size());
    int const* const in = inputs.data();
    int* const out = outputs.data();
    parallel_for(
        "copy_to_scratch", Policy(target, teams, threads),
        KOHORT_LAMBDA(typename Policy::member_type const& member) {
          Incoming& mine = member.team_scratch();
          member.init_barriers(BarrierGroup(mine.full, 1));
          int const first = member.league_rank() * rounds;
          int const bytes = elements * static_cast<int>(sizeof(int));
          auto const fetch = [&](int round) {
            member.arrive_expecting(mine.full[round % 2], bytes);
            member.copy_async(mine.tile[round % 2], in + (first + round) * elements, elements,
                              mine.full[round % 2]);
          };
          Waiter waiter;
          if (member.team_rank() == 0) fetch(0);
          for (int round = 0; round < rounds; ++round) {
            if (member.team_rank() == 0 && round + 1 < rounds) fetch(round + 1);
            member.wait(mine.full[round % 2], waiter, round % 2);
            for (int i = member.team_rank(); i < elements; i += threads)
              out[(first + round) * elements + i] = mine.tile[round % 2][i];
            member.team_barrier();
          }
        });
    require_all_equal(download(outputs), input, std::to_string(elements) + " elements");
  }
}

struct alignas(16) Outgoing {
  int tile[3][most_elements];
};

/// Three slots: a slot is written again when all but the two latest stores have read theirs.
template <class Target>
void copies_from_scratch_bring_what_was_written(Target const& target) {
  using Policy = ClusterPolicy<Target, TeamScratch<Outgoing>>;
  int const threads = team_threads(target, 128);
  int const elements = 200;
  int const teams = 3;
  int const rounds = 7;
  auto const outputs = poisoned<int>(target, teams * rounds * elements);
  int* const out = outputs.data();
  parallel_for(
      "copy_from_scratch", Policy(target, teams, threads),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        Outgoing& mine = member.team_scratch();
        int const first = member.league_rank() * rounds;
        for (int round = 0; round < rounds; ++round) {
          int* const slot = mine.tile[round % 3];
          for (int i = member.team_rank(); i < elements; i += threads)
            slot[i] = (first + round) * 10000 + i;
          member.team_barrier(before_transfer);
          if (member.team_rank() == 0) {
            member.copy_async(out + (first + round) * elements, slot, elements);
            member.template wait_stores_read<2>();
          }
          member.team_barrier();
        }
        if (member.team_rank() == 0) member.template wait_stores<0>();
      });
  std::vector<int> expected;
  for (int block = 0; block < teams * rounds; ++block)
    for (int i = 0; i < elements; ++i) expected.push_back(block * 10000 + i);
  require_all_equal(download(outputs), expected, "blocks");
}

template <class T>
struct alignas(16) Mailbox {
  T from[2][16];
  TransferBarrier came[2];
};

struct alignas(16) Wide {
  std::uint32_t words[4];
};

template <class T>
KOHORT_FUNCTION T value_of(int sender, int receiver, int round) {
  std::uint32_t words[sizeof(T) / 4];
  for (std::size_t i = 0; i < sizeof(T) / 4; ++i)
    words[i] = static_cast<std::uint32_t>(sender * 100000 + receiver * 1000 + round * 10) +
               static_cast<std::uint32_t>(i);
  T value;
  std::memcpy(&value, words, sizeof value);
  return value;
}

/// Every team pushes a value to every team, itself among them; the barrier counts their bytes.
template <class T, class Target>
void push_values(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<Mailbox<T>>>;
  for (int size : cluster_sizes(target)) {
    int const rounds = 4;
    auto const results = poisoned<T>(target, size * rounds * size);
    T* const result = results.data();
    Policy policy(target, size, properties(target).subgroup_size, size);
    policy.allow_nonportable_size();
    parallel_for(
        "push_values", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
          Mailbox<T>& box = *member.cluster_scratch();
          member.init_barriers(BarrierGroup(box.came, 1));
          int const rank = member.cluster_rank();
          Waiter waiter;
          for (int round = 0; round < rounds; ++round) {
            int const half = round % 2;
            if (member.team_rank() == 0) {
              member.arrive_expecting(box.came[half], size * static_cast<int>(sizeof(T)));
              for (int to = 0; to < size; ++to)
                member.push_async(box.from[half][rank], to, value_of<T>(rank, to, round),
                                  box.came[half]);
            }
            member.wait(box.came[half], waiter, half);
            if (member.team_rank() == 0)
              for (int from = 0; from < size; ++from)
                result[(rank * rounds + round) * size + from] = box.from[half][from];
            member.cluster_barrier();
          }
        });
    std::vector<T> const found = download(results);
    for (int rank = 0; rank < size; ++rank) {
      for (int round = 0; round < rounds; ++round) {
        for (int from = 0; from < size; ++from) {
          T const expected = value_of<T>(from, rank, round);
          T const& actual = found[static_cast<std::size_t>((rank * rounds + round) * size + from)];
          require(std::memcmp(&actual, &expected, sizeof(T)) == 0,
                  "cluster of " + std::to_string(size) + ", to " + std::to_string(rank) + " from " +
                      std::to_string(from) + " in round " + std::to_string(round));
        }
      }
    }
  }
}

template <class Target>
void values_of_4_bytes_are_pushed(Target const& target) {
  push_values<std::uint32_t>(target);
}
template <class Target>
void values_of_8_bytes_are_pushed(Target const& target) {
  push_values<std::uint64_t>(target);
}
template <class Target>
void values_of_16_bytes_are_pushed(Target const& target) {
  push_values<Wide>(target);
}

struct alignas(16) Block {
  int mine[256];
  int theirs[256];
  TransferBarrier came;
  TransferBarrier taken;
};

/// Scratch to the next team's scratch, several times, with a hand-back in between.
template <class Target>
void scratch_is_pushed_to_a_peer(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<Block>>;
  int const threads = team_threads(target, 64);
  for (int size : cluster_sizes(target)) {
    int const rounds = 4;
    auto const results = poisoned<int>(target, size * rounds * 256);
    int* const result = results.data();
    Policy policy(target, size, threads, size);
    policy.allow_nonportable_size();
    parallel_for(
        "push_blocks", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
          Block& block = *member.cluster_scratch();
          member.init_barriers(BarrierGroup(block.came, 1), BarrierGroup(block.taken, threads));
          int const rank = member.cluster_rank();
          int const next = (rank + 1) % size;
          int const before = (rank + size - 1) % size;
          Waiter waiter;
          Waiter taken = Waiter::initially_free();
          for (int round = 0; round < rounds; ++round) {
            // Whoever changes the source knows that it was read: it has come.
            member.wait(block.taken, taken);
            for (int i = member.team_rank(); i < 256; i += threads)
              block.mine[i] = rank * 100000 + round * 1000 + i;
            member.team_barrier(before_transfer);
            if (member.team_rank() == 0) {
              member.arrive_expecting(block.came, 1024);
              member.push_async(block.theirs, next, block.mine, 256, block.came);
            }
            member.wait(block.came, waiter);
            for (int i = member.team_rank(); i < 256; i += threads)
              result[(rank * rounds + round) * 256 + i] = block.theirs[i];
            member.arrive(block.taken, before, relaxed);
          }
        });
    std::vector<int> expected;
    for (int rank = 0; rank < size; ++rank)
      for (int round = 0; round < rounds; ++round)
        for (int i = 0; i < 256; ++i)
          expected.push_back((rank + size - 1) % size * 100000 + round * 1000 + i);
    require_all_equal(download(results), expected, "cluster of " + std::to_string(size));
  }
}

namespace {
Rung<UnitTarget> const rung(
    "21_copies",
    {{"CopiesToScratchBringWhatWasThere", copies_to_scratch_bring_what_was_there<UnitTarget>},
     {"CopiesFromScratchBringWhatWasWritten",
      copies_from_scratch_bring_what_was_written<UnitTarget>},
     {"ValuesOf4BytesArePushed", values_of_4_bytes_are_pushed<UnitTarget>},
     {"ValuesOf8BytesArePushed", values_of_8_bytes_are_pushed<UnitTarget>},
     {"ValuesOf16BytesArePushed", values_of_16_bytes_are_pushed<UnitTarget>},
     {"ScratchIsPushedToAPeer", scratch_is_pushed_to_a_peer<UnitTarget>}});
}  // namespace
}  // namespace kohort::conformance::copies
