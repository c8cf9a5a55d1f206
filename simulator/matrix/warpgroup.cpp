// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "warpgroup.hpp"

#include "../check/cluster_check.hpp"
#include "../check/transfer_faults.hpp"
#include "../engine/launch_state.hpp"
#include "../engine/switching.hpp"
#include "operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace kohort::simulator {
namespace {

constexpr std::size_t tile_alignment = 1024;

/// Calls body(thread, value, row, column) for each number of C: which of a thread's values holds
/// it.
template <class Body>
void for_each_value(int columns, Body const& body) {
  int const values = product_rows * columns / warpgroup_threads;
  for (int thread = 0; thread < warpgroup_threads; ++thread) {
    int const row = thread / 32 * 16 + thread % 32 / 4;
    int const column = thread % 4 * 2;
    for (int i = 0; i < values; ++i)
      body(thread, i, row + 8 * (i / 2 % 2), column + 8 * (i / 4) + i % 2);
  }
}

/// Lays out what the threads hold of A.
void gather_words(WarpgroupMeeting const& meeting, OperandTile& tile) {
  for (int thread = 0; thread < warpgroup_threads; ++thread) {
    for (int i = 0; i < 16; ++i) {
      int const row = thread / 32 * 16 + thread % 32 / 4 + i % 2 * 8;
      int const word = i / 4 * 8 + thread % 4 + i % 4 / 2 * 4;
      // As a swizzle of 128 B permutes the 16 B pieces of a row.
      int const piece = (word / 4) ^ (row % 8);
      std::memcpy(&tile.bytes[static_cast<std::size_t>(row * 128 + piece * 16 + word % 4 * 4)],
                  meeting.a_words[static_cast<std::size_t>(thread)] + i, 4);
    }
  }
}

template <class Number>
void compute(WarpgroupMeeting const& meeting, std::byte const* a, PlainProduct<Number>& plain) {
  MatrixProduct const& product = meeting.product;
  int const columns = product.columns;
  int const depth = depth_of(product.a_element);
  read_operand({product.a_element, product.a_is_mn_major, a, product_rows}, plain.a, depth, 1);
  read_operand(
      {product.b_element, product.b_is_mn_major, static_cast<std::byte const*>(product.b), columns},
      plain.b, 1, columns);
  if (product.begins_anew) {
    std::fill_n(plain.c, product_rows * columns, Number{});
  } else {
    for_each_value(columns, [&](int thread, int value, int row, int column) {
      plain.c[row * columns + column] =
          static_cast<Number const*>(meeting.values[static_cast<std::size_t>(thread)])[value];
    });
  }
  multiply_plain(plain, columns, depth);
  for_each_value(columns, [&](int thread, int value, int row, int column) {
    static_cast<Number*>(meeting.values[static_cast<std::size_t>(thread)])[value] =
        plain.c[row * columns + column];
  });
}

void compute(WarpgroupMeetings& all, WarpgroupMeeting const& meeting) {
  auto const* a = static_cast<std::byte const*>(meeting.product.a);
  if (a == nullptr) {
    if (all.gathered == nullptr) all.gathered = std::make_unique<OperandTile>();
    gather_words(meeting, *all.gathered);
    a = all.gathered->bytes.data();
  }
  if (meeting.product.a_element == MatrixElement::int8) {
    if (all.integers == nullptr) all.integers = std::make_unique<PlainProduct<std::int32_t>>();
    compute(meeting, a, *all.integers);
  } else {
    if (all.floats == nullptr) all.floats = std::make_unique<PlainProduct<float>>();
    compute(meeting, a, *all.floats);
  }
}

WarpgroupMeeting& meeting_of(ThreadState const& self) {
  ClusterState& cluster = cluster_of(self);
  if (cluster.warpgroups == nullptr) cluster.warpgroups = std::make_unique<WarpgroupMeetings>();
  auto& meetings = cluster.warpgroups->meetings;
  int const of_team = self.team->threads / warpgroup_threads;
  if (meetings.empty()) meetings.resize(static_cast<std::size_t>(cluster.size * of_team));
  return meetings[static_cast<std::size_t>(self.team->rank * of_team +
                                           self.rank / warpgroup_threads)];
}

bool is_one_product(MatrixProduct const& left, MatrixProduct const& right) {
  return left.a == right.a && left.b == right.b && left.columns == right.columns &&
         left.a_element == right.a_element && left.b_element == right.b_element &&
         left.a_is_mn_major == right.a_is_mn_major && left.b_is_mn_major == right.b_is_mn_major &&
         left.begins_anew == right.begins_anew;
}

void require_operand(ThreadState& self, char const* what, void const* tile, std::size_t bytes,
                     Site site) {
  Arena const& arena = cluster_of(self).arena;
  auto const* const first = static_cast<std::byte const*>(tile);
  bool const is_own = arena.contains(first) && arena.contains(first + bytes - 1) &&
                      arena.team_of(first) == self.team->rank &&
                      arena.team_of(first + bytes - 1) == self.team->rank;
  if (!is_own)
    report_transfer_scratch(self, fmt::format("{}, {} B", what, bytes),
                            "has to lie in the calling team's scratch", site);
  if (reinterpret_cast<std::uintptr_t>(tile) % tile_alignment != 0)
    report_transfer_alignment(self, what, tile_alignment, site);
}

void require_whole_warpgroup(ThreadState& self, Site site) {
  int const first = self.rank / warpgroup_threads * warpgroup_threads;
  int const existing = std::min(warpgroup_threads, self.team->threads - first);
  if (existing < warpgroup_threads)
    report_divergent_warpgroup(
        self, fmt::format("its warpgroup has {} threads of the 128 it needs", existing), site);
}

}  // namespace

void matrix_multiply(Thread& thread, MatrixProduct const& product, Site site) {
  ThreadState& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  require_whole_warpgroup(self, site);
  WarpgroupMeeting& meeting = meeting_of(self);
  if (meeting.arrived == 0) {
    if (product.a_words == nullptr)
      require_operand(self, "a product's A", product.a, product_rows * 128, site);
    require_operand(self, "a product's B", product.b, b_bytes_of(product), site);
    meeting.product = product;
    meeting.site = site;
  } else if (!is_one_product(meeting.product, product) || !same_site(meeting.site, site)) {
    report_divergent_warpgroup(
        self,
        fmt::format("{} threads came with other operands, or from elsewhere: {}:{}",
                    meeting.arrived, meeting.site.file, meeting.site.line),
        site);
  }
  meeting.values[static_cast<std::size_t>(self.rank % warpgroup_threads)] = product.values;
  meeting.a_words[static_cast<std::size_t>(self.rank % warpgroup_threads)] = product.a_words;
  if (++meeting.arrived < warpgroup_threads) {
    self.site = site;
    block(cluster, self, Waiting::product);
    return;
  }
  meeting.arrived = 0;
  ++cluster.progress;
  cluster.worker->counts.multiply_adds +=
      static_cast<long long>(product_rows) * product.columns * depth_of(product.a_element);
  int const first = self.index - self.rank % warpgroup_threads;
  if (cluster.check != nullptr) cluster.check->product_begun(meeting, first);
  compute(*cluster.warpgroups, meeting);
  cluster.scheduler.make_range_ready(first, first + warpgroup_threads);
  reschedule(cluster, self);
}

void require_subgroup_product(Thread& thread, SubgroupProduct const& product, Site site) {
  constexpr int threads = 32;
  constexpr std::size_t word = 4;
  ThreadState& self = state_of(thread);
  int const existing = std::min(threads, self.team->threads - self.rank / threads * threads);
  if (existing < threads) report_partial_subgroup(self, existing, site);
  auto const is_aligned = [](void const* first, long long stride) {
    return reinterpret_cast<std::uintptr_t>(first) % word == 0 && stride % 4 == 0;
  };
  if (!is_aligned(product.a, product.a_stride))
    report_transfer_alignment(self, "a subgroup product's A, or its stride", word, site);
  if (!is_aligned(product.b, product.b_stride))
    report_transfer_alignment(self, "a subgroup product's B, or its stride", word, site);
}

void wait_for_products(Thread& thread, int pending, Site) {
  ThreadState const& self = state_of(thread);
  ClusterState& cluster = cluster_of(self);
  if (cluster.check == nullptr || cluster.warpgroups == nullptr) return;
  if (self.rank / warpgroup_threads < self.team->threads / warpgroup_threads)
    cluster.check->products_waited(meeting_of(self).begun, pending);
}

}  // namespace kohort::simulator
