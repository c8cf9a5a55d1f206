// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <kohort/simulator/group_map.hpp>
#include <kohort/simulator/placement.hpp>
#include <map>
#include <vector>

namespace kohort::simulator {
namespace {

constexpr int least_columns = 60;
constexpr int table_label_columns = 22;
constexpr int table_cell_columns = 5;
// From this many on, groups of one size are drawn once with their count.
constexpr int least_repeats = 3;

std::string repeat(std::string_view piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

/// A piece of a line with its width on a terminal, which for UTF-8 is not its length.
struct Piece {
  std::string text;
  int columns;
};

Piece draw_group(int sms, int count, int sms_of_block) {
  int const blocks = (sms + sms_of_block - 1) / sms_of_block;
  std::string const number = fmt::format("{} ", sms);
  std::string const times = count > 1 ? fmt::format(" ×{}", count) : "";
  // The sign × takes two bytes and one column.
  int const times_columns = count > 1 ? static_cast<int>(times.size()) - 1 : 0;
  return {number + repeat("█", blocks) + times,
          static_cast<int>(number.size()) + blocks + times_columns};
}

std::vector<Piece> draw_groups(DeviceProfile const& profile, int sms_of_block) {
  std::map<int, int, std::greater<>> counts;
  for (int const sms : profile.sm_groups) ++counts[sms];
  std::vector<Piece> pieces;
  for (auto const& [sms, count] : counts) {
    if (count >= least_repeats) {
      pieces.push_back(draw_group(sms, count, sms_of_block));
    } else {
      for (int i = 0; i < count; ++i) pieces.push_back(draw_group(sms, 1, sms_of_block));
    }
  }
  return pieces;
}

std::string wrap(std::vector<Piece> const& pieces, int columns) {
  constexpr int indent = 4;
  constexpr int gap = 3;
  std::string text;
  int used = 0;
  for (Piece const& piece : pieces) {
    if (used > 0 && used + gap + piece.columns > columns) {
      text += "\n";
      used = 0;
    }
    int const space = used == 0 ? indent : gap;
    text += repeat(" ", space) + piece.text;
    used += space + piece.columns;
  }
  return text + "\n";
}

/// SMs that one block of a bar stands for, so that the largest group fits in a line.
int scale(DeviceProfile const& profile, int columns) {
  // What the line holds besides the bar: indent, the number, and the count of its repeats.
  constexpr int other_columns = 4 + 5 + 5;
  int const room = columns - other_columns;
  int const largest = *std::max_element(profile.sm_groups.begin(), profile.sm_groups.end());
  return (largest + room - 1) / room;
}

std::string draw_bars(DeviceProfile const& profile, int columns) {
  int const sms_of_block = scale(profile, columns);
  std::string const title =
      profile.max_nonportable_cluster > 1 ? "SM groups that host clusters" : "SM groups";
  std::string const note =
      sms_of_block > 1 ? fmt::format(" (a block is {} SMs)", sms_of_block) : "";
  return fmt::format("  {}{}\n{}", title, note, wrap(draw_groups(profile, sms_of_block), columns));
}

/// Cluster sizes for the table's columns: 1 to 8 and the largest, or fewer if the line is narrow.
std::vector<int> table_sizes(int largest, int columns) {
  int const cells = (columns - table_label_columns) / table_cell_columns;
  std::vector<int> sizes;
  for (int size = 1; size <= std::min(largest, 8); ++size) sizes.push_back(size);
  if (largest > 8) sizes.push_back(largest);
  int const gaps = largest > 9 ? 1 : 0;
  if (static_cast<int>(sizes.size()) + gaps <= cells) return sizes;
  std::erase_if(sizes, [&](int size) { return size > 2 && size % 4 != 0 && size != largest; });
  return sizes;
}

struct Table {
  std::string sizes = fmt::format("{:<{}}", "  cluster size", table_label_columns);
  std::string resident = fmt::format("{:<{}}", "  resident (1 team/SM)", table_label_columns);
  std::string in_use = fmt::format("{:<{}}", "  SMs in use", table_label_columns);

  void add(DeviceProfile const& profile, int size) {
    Placement const placement(profile, 1, size);
    double const used = profile.sm_count() - placement.idle_sms();
    sizes += fmt::format("{:>{}}", size, table_cell_columns);
    resident += fmt::format("{:>{}}", placement.resident_limit(), table_cell_columns);
    in_use += fmt::format("{:>{}.0f}%", 100 * used / profile.sm_count(), table_cell_columns - 1);
  }

  void add_gap() {
    sizes += repeat(" ", table_cell_columns - 1) + "…";
    resident += repeat(" ", table_cell_columns);
    in_use += repeat(" ", table_cell_columns);
  }
};

std::string draw_table(DeviceProfile const& profile, int columns) {
  Table table;
  int previous = 0;
  for (int const size : table_sizes(profile.max_nonportable_cluster, columns)) {
    if (previous >= 8 && size > previous + 1) table.add_gap();
    table.add(profile, size);
    previous = size;
  }
  return table.sizes + "\n" + table.resident + "\n" + table.in_use + "\n";
}

std::string describe_limits(DeviceProfile const& profile) {
  if (profile.max_nonportable_cluster == 1) {
    return "  no hardware clusters: a cluster of two or more is refused\n";
  }
  if (profile.max_nonportable_cluster == profile.max_portable_cluster) {
    return fmt::format("  largest cluster {}\n", profile.max_portable_cluster);
  }
  return fmt::format("  largest cluster {} portable, {} by allow_nonportable_size()\n",
                     profile.max_portable_cluster, profile.max_nonportable_cluster);
}

std::string describe_bytes(long long bytes) {
  constexpr long long kilobyte = 1024;
  constexpr long long megabyte = kilobyte * kilobyte;
  if (bytes >= megabyte) return fmt::format("{:.4g} MB", static_cast<double>(bytes) / megabyte);
  return fmt::format("{:.4g} KB", static_cast<double>(bytes) / kilobyte);
}

std::string describe_device(DeviceProfile const& profile) {
  return fmt::format(
      "{} (profile {}, {})\n  {} SMs, {} shared memory an SM, {} L2, {} {:.4g} "
      "TB/s {}\n",
      profile.title, profile.name, profile.provenance, profile.sm_count(),
      describe_bytes(profile.scratch_bytes_per_sm), describe_bytes(profile.l2_bytes),
      profile.memory_kind, profile.memory_bandwidth_tb_s, profile.memory_bandwidth_kind);
}

}  // namespace

std::string draw_group_map(DeviceProfile const& profile, int columns) {
  columns = std::max(columns, least_columns);
  return describe_device(profile) + draw_bars(profile, columns) + draw_table(profile, columns) +
         describe_limits(profile);
}

}  // namespace kohort::simulator
