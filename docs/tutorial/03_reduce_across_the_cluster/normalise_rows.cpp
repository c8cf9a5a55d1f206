// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Step 3: rows too long for one team, kept on chip by a cluster, with one sum over all its threads.
#include <kohort/kohort.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using Target = kohort::UnitTarget;
using Policy = kohort::ClusterPolicy<Target, kohort::DynamicTeamScratch<float>>;

constexpr int rows = 8;
constexpr int row_length = 64 * 1024;
constexpr int team_size = 256;

/// Divides every row by its root mean square. A row is read once: each team of its cluster keeps
/// `share` elements in scratch while the squares are added up.
struct NormaliseRows {
  float const* in;
  float* out;
  int share;

  KOHORT_FUNCTION void operator()(Policy::member_type const& member) const {
    float* const kept = member.dynamic_team_scratch();
    long long const first = static_cast<long long>(member.league_rank()) * share;
    float squares = 0;
    for (int i : kohort::TeamThreadRange(member, share)) {
      kept[i] = in[first + i];
      squares += kept[i] * kept[i];
    }
    float const sum = member.cluster_reduce(squares);  // the same bits in every thread
    float const scale = 1.0f / std::sqrt(sum / row_length);
    for (int i : kohort::TeamThreadRange(member, share)) out[first + i] = kept[i] * scale;
  }
};

/// The policy for clusters of `cluster` teams, one cluster a row.
Policy policy_for(Target const& target, int cluster) {
  Policy policy(target, rows * cluster, team_size, kohort::ClusterShape{cluster});
  policy.dynamic_team_scratch(row_length / cluster);
  return policy;
}

/// Whether each row of `out` is the row of `in` by its root mean square, to float's precision.
bool is_normalised(std::vector<float> const& in, std::vector<float> const& out) {
  for (int row = 0; row < rows; ++row) {
    std::size_t const first = static_cast<std::size_t>(row) * row_length;
    double squares = 0;
    for (std::size_t i = first; i < first + row_length; ++i) squares += double(in[i]) * in[i];
    double const scale = 1 / std::sqrt(squares / row_length);
    for (std::size_t i = first; i < first + row_length; ++i) {
      if (std::abs(out[i] - in[i] * scale) > 1e-5 * std::abs(in[i] * scale)) return false;
    }
  }
  return true;
}

int main() {
  Target const target;
  std::vector<float> numbers(static_cast<std::size_t>(rows) * row_length);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 1000 + 1);
  std::vector<float> result(numbers.size());
  kohort::Buffer<float, Target> in(target, numbers.size());
  kohort::Buffer<float, Target> out(target, numbers.size());
  kohort::deep_copy(in, numbers);

  bool all_right = true;
  for (int cluster : {1, 2, 4, 8, 16}) {
    NormaliseRows const kernel{in.data(), out.data(), row_length / cluster};
    Policy policy = policy_for(target, cluster);
    kohort::Support support = policy.validate(kernel);
    if (!support) std::printf("cluster %2d   refused: %s\n", cluster, support.limit.c_str());
    if (!support && cluster > 8) support = policy.allow_nonportable_size().validate(kernel);
    if (!support) continue;
    kohort::parallel_for("normalise_rows", policy, kernel);
    kohort::deep_copy(result, out);
    bool const right = is_normalised(numbers, result);
    all_right = all_right && right;
    std::printf("cluster %2d   %3d KiB of the row a team, %3d clusters at once, %s\n", cluster,
                static_cast<int>(kernel.share * sizeof(float) / 1024),
                policy.max_active_clusters(kernel), right ? "right" : "wrong");
  }

  std::printf("\n");
  try {  // a launch that is not asked about first
    kohort::parallel_for("normalise_rows", policy_for(target, 1),
                         NormaliseRows{in.data(), out.data(), row_length});
  } catch (kohort::LaunchError const& error) {
    std::printf("%s\n", error.what());
  }
  return all_right ? 0 : 1;
}
