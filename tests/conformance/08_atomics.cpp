// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics: every operation at every width, on global memory, one's own scratch and a peer's, with
// every thread of the cluster on one cell. On an H200 the hardware's own path loses updates for
// some of them (64-bit remote min, max, and, or, xor), so each has its case.
#include "device.hpp"

#include <limits>

namespace kohort::conformance::atomics {

/// A whole number of up to 64 bits whose every bit matters, as an operand of type T. Floating
/// operands are multiples of a quarter below 256, so that sums of 2,048 of them are exact.
template <class T>
KOHORT_FUNCTION T operand(int number) {
  std::uint64_t const bits = scrambled(number);
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(static_cast<int>(bits % 2048) - 1024) / 4;
  } else {
    return static_cast<T>(bits);
  }
}

// Each operation: what stands in the cell first, how a thread applies its operand, what a plain
// loop would have done.

struct Add {
  template <class T>
  static constexpr T initial = T(3);
  template <class T>
  static KOHORT_FUNCTION void apply(T* cell, T value) {
    atomic_add(cell, value);
  }
  template <class T>
  static T plain(T cell, T value) {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Unsigned>(cell) + static_cast<Unsigned>(value));
    } else {
      return cell + value;
    }
  }
};

struct Minimum {
  template <class T>
  static constexpr T initial = std::numeric_limits<T>::max();
  template <class T>
  static KOHORT_FUNCTION void apply(T* cell, T value) {
    atomic_min(cell, value);
  }
  template <class T>
  static T plain(T cell, T value) {
    return std::min(cell, value);
  }
};

struct Maximum {
  template <class T>
  static constexpr T initial = std::numeric_limits<T>::lowest();
  template <class T>
  static KOHORT_FUNCTION void apply(T* cell, T value) {
    atomic_max(cell, value);
  }
  template <class T>
  static T plain(T cell, T value) {
    return std::max(cell, value);
  }
};

/// Each operand clears one bit, of 64 or 32, and some bits are left.
struct And {
  template <class T>
  static constexpr T initial = static_cast<T>(~T(0));
  template <class T>
  static KOHORT_FUNCTION T one_bit(T value) {
    return static_cast<T>(T(1) << (static_cast<std::uint64_t>(value) % (sizeof(T) * 8 - 3)));
  }
  template <class T>
  static KOHORT_FUNCTION void apply(T* cell, T value) {
    atomic_and(cell, static_cast<T>(~one_bit(value)));
  }
  template <class T>
  static T plain(T cell, T value) {
    return static_cast<T>(cell & ~one_bit(value));
  }
};

struct Or {
  template <class T>
  static constexpr T initial = T(0);
  template <class T>
  static KOHORT_FUNCTION void apply(T* cell, T value) {
    atomic_or(cell, And::one_bit(value));
  }
  template <class T>
  static T plain(T cell, T value) {
    return static_cast<T>(cell | And::one_bit(value));
  }
};

struct Xor {
  template <class T>
  static constexpr T initial = T(0x55);
  template <class T>
  static KOHORT_FUNCTION void apply(T* cell, T value) {
    atomic_xor(cell, value);
  }
  template <class T>
  static T plain(T cell, T value) {
    return static_cast<T>(cell ^ value);
  }
};

/// A sum made of compare-exchanges, which lose nothing either.
struct AddByCompareExchange {
  template <class T>
  static constexpr T initial = T(1);
  template <class T>
  static KOHORT_FUNCTION void apply(T* cell, T value) {
    T seen = atomic_load(cell);
    for (;;) {
      T const before = atomic_compare_exchange(cell, seen, sum(seen, value));
      if (before == seen) return;
      seen = before;
    }
  }
  template <class T>
  static KOHORT_FUNCTION T sum(T cell, T value) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<std::uint64_t>(cell) + static_cast<std::uint64_t>(value));
    } else {
      return cell + value;
    }
  }
  template <class T>
  static T plain(T cell, T value) {
    return sum(cell, value);
  }
};

/// What the cells of a cluster of `size` teams must hold: [0] global, [1 + r] team r's own,
/// [1 + size + r] team r's, used by the team after it, [1 + 2 size] team 0's, used by all.
template <class Operation, class T>
std::vector<T> expected_cells(int size, int threads) {
  std::vector<T> cells(2 + 2 * size, Operation::template initial<T>);
  for (int rank = 0; rank < size; ++rank) {
    for (int thread = 0; thread < threads; ++thread) {
      T const value = operand<T>(rank * threads + thread);
      int const next = (rank + 1) % size;
      for (int cell : {0, 1 + rank, 1 + size + next, 1 + 2 * size}) {
        cells[cell] = Operation::plain(cells[cell], value);
      }
    }
  }
  return cells;
}

template <class T>
struct Cells {
  T own;
  T from_neighbour;
  T from_all;
};

/// All threads of a cluster, 8 teams of 256 where the device has them (the shape in which the
/// H200 lost updates), on the same cells.
template <class Operation, class T, class Target>
void loses_no_update(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<Cells<T>>>;
  int const size = cluster_teams(target, 8);
  int const threads = team_threads(target, 256);
  auto const results = filled<T>(target, 2 + 2 * size, Operation::template initial<T>);
  T* const result = results.data();
  Policy policy(target, size, threads, size);
  policy.allow_nonportable_size();
  parallel_for(
      "loses_no_update", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto cells = member.cluster_scratch();
        T const first = Operation::template initial<T>;
        if (member.team_rank() == 0) *cells = Cells<T>{first, first, first};
        member.cluster_barrier();
        int const rank = member.cluster_rank();
        T const value = operand<T>(rank * threads + member.team_rank());
        Operation::apply(&result[0], value);
        Operation::apply(&cells->own, value);
        Operation::apply(&member.peer(cells, (rank + 1) % size)->from_neighbour, value);
        Operation::apply(&member.peer(cells, 0)->from_all, value);
        member.cluster_barrier();
        if (member.team_rank() != 0) return;
        result[1 + rank] = cells->own;
        result[1 + size + rank] = cells->from_neighbour;
        if (rank == 0) result[1 + 2 * size] = cells->from_all;
      });
  std::vector<T> const cells = download(results);
  std::vector<T> const expected = expected_cells<Operation, T>(size, threads);
  require_equal(cells[0], expected[0], "the global cell");
  for (int rank = 0; rank < size; ++rank) {
    std::string const of_team = " of team " + std::to_string(rank);
    require_equal(cells[1 + rank], expected[1 + rank], "own cell" + of_team);
    require_equal(cells[1 + size + rank], expected[1 + size + rank], "peer's cell" + of_team);
  }
  require_equal(cells[1 + 2 * size], expected[1 + 2 * size], "team 0's cell, used by all");
}

/// Every thread puts its own number in and takes another's out: nothing is lost or doubled.
template <class T, class Target>
void exchange_hands_every_value_on(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<T>>;
  int const size = cluster_teams(target, 8);
  int const threads = team_threads(target, 256);
  int const all = size * threads;
  auto const received = poisoned<T>(target, 2 * (all + 1));
  T* const out = received.data();
  auto const globals = filled<T>(target, 1, T(0));
  T* const global = globals.data();
  Policy policy(target, size, threads, size);
  policy.allow_nonportable_size();
  parallel_for(
      "exchange", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto cell = member.cluster_scratch();
        if (member.team_rank() == 0) *cell = T(0);
        member.cluster_barrier();
        int const number = member.cluster_rank() * threads + member.team_rank();
        out[number] = atomic_exchange(&*member.peer(cell, 0), T(number + 1));
        out[all + 1 + number] = atomic_exchange(global, T(number + 1));
        member.cluster_barrier();
        if (number == 0) {
          out[all] = *cell;
          out[2 * all + 1] = *global;
        }
      });
  std::vector<T> const seen = download(received);
  std::vector<T> expected(all + 1);
  for (int number = 0; number <= all; ++number) expected[number] = T(number);
  for (int half = 0; half < 2; ++half) {
    std::vector<T> values(seen.begin() + half * (all + 1), seen.begin() + (half + 1) * (all + 1));
    std::sort(values.begin(), values.end());
    require_all_equal(values, expected, half == 0 ? "through a peer's cell" : "through global");
  }
}

/// Fetching hands out each value of the cell once: tickets.
template <class T, class Target>
void fetch_add_hands_out_each_ticket_once(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<T>>;
  int const size = cluster_teams(target, 8);
  int const threads = team_threads(target, 256);
  int const all = size * threads;
  auto const tickets = poisoned<T>(target, all);
  T* const ticket = tickets.data();
  Policy policy(target, size, threads, size);
  policy.allow_nonportable_size();
  parallel_for(
      "tickets", policy, KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto cell = member.cluster_scratch();
        if (member.team_rank() == 0) *cell = T(0);
        member.cluster_barrier();
        ticket[member.league_rank() * threads + member.team_rank()] =
            atomic_fetch_add(&*member.peer(cell, size - 1), T(1));
      });
  std::vector<T> values = download(tickets);
  std::sort(values.begin(), values.end());
  std::vector<T> expected(all);
  for (int number = 0; number < all; ++number) expected[number] = T(number);
  require_all_equal(values, expected, "tickets in order");
}

/// Applies every fetching form once to `cell` and stores what each returned and left.
template <class T>
KOHORT_FUNCTION void one_of_each(T* cell, T* out) {
  int next = 0;
  auto const record = [&](T returned) {
    out[next++] = returned;
    out[next++] = atomic_load(cell);
  };
  atomic_store(cell, T(12));
  record(atomic_exchange(cell, T(20)));
  record(atomic_compare_exchange(cell, T(19), T(1)));
  record(atomic_compare_exchange(cell, T(20), T(21)));
  record(atomic_fetch_add(cell, T(-5)));
  record(atomic_fetch_min(cell, T(7)));
  record(atomic_fetch_min(cell, T(8)));
  record(atomic_fetch_max(cell, T(3)));
  record(atomic_fetch_max(cell, T(13)));
  if constexpr (std::is_integral_v<T>) {
    record(atomic_fetch_and(cell, T(6)));
    record(atomic_fetch_or(cell, T(3)));
    record(atomic_fetch_xor(cell, T(5)));
  }
}

template <class T>
inline constexpr int records = std::is_integral_v<T> ? 22 : 16;

template <class T, class Target>
void fetching_forms_return_what_stood_there(Target const& target) {
  using Policy = ClusterPolicy<Target, ClusterScratch<T>>;
  constexpr int count = records<T>;
  int const size = cluster_teams(target, 2);
  auto const results = poisoned<T>(target, 3 * count + 1);
  T* const out = results.data();
  parallel_for(
      "one_of_each", Policy(target, size, 1, size),
      KOHORT_LAMBDA(typename Policy::member_type const& member) {
        auto cell = member.cluster_scratch();
        auto other = member.peer(cell, size - 1);
        if (member.cluster_rank() == 0) {
          one_of_each(&out[3 * count], out);
          one_of_each(&*other, out + count);
        }
        member.cluster_barrier();
        if (member.cluster_rank() == size - 1) one_of_each(&*cell, out + 2 * count);
      });
  std::vector<T> const one = {12, 20, 20, 20, 20, 21, 21, 16, 16, 7, 7,
                              7,  7,  7,  7,  13, 13, 4,  4,  7,  7, 2};
  std::vector<T> expected;
  for (int place = 0; place < 3; ++place) {
    expected.insert(expected.end(), one.begin(), one.begin() + count);
  }
  std::vector<T> seen = download(results);
  seen.pop_back();
  require_all_equal(seen, expected, "returned and left, on global, a peer's and own memory");
}

namespace {
using I32 = std::int32_t;
using U32 = std::uint32_t;
using I64 = long long;
using U64 = unsigned long long;
using Entry = Rung<UnitTarget>::Entry;

// clang-format off: it takes the template's bracket for a comparison
#define KOHORT_CONTENDED(OPERATION, TYPE) \
  Entry { #OPERATION "On" #TYPE, loses_no_update < OPERATION, TYPE, UnitTarget> }
// clang-format on
#define KOHORT_CONTENDED_ON_INTEGERS(OPERATION)                       \
  KOHORT_CONTENDED(OPERATION, I32), KOHORT_CONTENDED(OPERATION, U32), \
      KOHORT_CONTENDED(OPERATION, I64), KOHORT_CONTENDED(OPERATION, U64)
#define KOHORT_CONTENDED_ON_ALL(OPERATION)                                     \
  KOHORT_CONTENDED_ON_INTEGERS(OPERATION), KOHORT_CONTENDED(OPERATION, float), \
      KOHORT_CONTENDED(OPERATION, double)
#define KOHORT_FOR_TYPE(NAME, FUNCTION, TYPE) \
  Entry { NAME "On" #TYPE, FUNCTION<TYPE, UnitTarget> }
#define KOHORT_FOR_ALL_TYPES(NAME, FUNCTION)                                      \
  KOHORT_FOR_TYPE(NAME, FUNCTION, I32), KOHORT_FOR_TYPE(NAME, FUNCTION, U32),     \
      KOHORT_FOR_TYPE(NAME, FUNCTION, I64), KOHORT_FOR_TYPE(NAME, FUNCTION, U64), \
      KOHORT_FOR_TYPE(NAME, FUNCTION, float), KOHORT_FOR_TYPE(NAME, FUNCTION, double)

Rung<UnitTarget> const rung("08_atomics",
                            {KOHORT_CONTENDED_ON_ALL(Add), KOHORT_CONTENDED_ON_ALL(Minimum),
                             KOHORT_CONTENDED_ON_ALL(Maximum), KOHORT_CONTENDED_ON_INTEGERS(And),
                             KOHORT_CONTENDED_ON_INTEGERS(Or), KOHORT_CONTENDED_ON_INTEGERS(Xor),
                             KOHORT_CONTENDED_ON_ALL(AddByCompareExchange),
                             KOHORT_FOR_ALL_TYPES("Exchange", exchange_hands_every_value_on),
                             KOHORT_FOR_ALL_TYPES("Tickets", fetch_add_hands_out_each_ticket_once),
                             KOHORT_FOR_ALL_TYPES("FetchingForms",
                                                  fetching_forms_return_what_stood_there)});

#undef KOHORT_CONTENDED
#undef KOHORT_CONTENDED_ON_INTEGERS
#undef KOHORT_CONTENDED_ON_ALL
#undef KOHORT_FOR_TYPE
#undef KOHORT_FOR_ALL_TYPES
}  // namespace
}  // namespace kohort::conformance::atomics
