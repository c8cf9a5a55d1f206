// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/trial.hpp>

#include <exception>
#include <random>
#include <string>

/// Random problems for every target: tests/kernels runs them on the simulator, tests/conformance
/// wherever the ladder runs. Included by units that nvcc compiles.
namespace kohort::kernels::gemm {

/// What came of a random problem.
struct CaseResult {
  Choice choice;
  std::string failure;  ///< empty: verified
};

/// A source of random decisions.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  long long from(long long least, long long most) {
    return std::uniform_int_distribution<long long>(least, most)(engine_);
  }
  bool chance(int percent) { return from(1, 100) <= percent; }
  Order order(int percent_row) {
    return chance(percent_row) ? Order::row_major : Order::column_major;
  }

 private:
  std::mt19937_64 engine_;
};

/// Small ones more often than large ones, because edges are what goes wrong; one in three a
/// multiple of a tile, or beside it.
inline long long random_extent(Dice& dice, long long most) {
  if (dice.chance(20)) return dice.from(1, 16);
  if (dice.chance(35)) return std::max(1LL, dice.from(1, most / 64) * 64 + dice.from(-1, 1));
  return dice.from(1, dice.chance(50) ? most : most / 3);
}

/// @param operand_bytes  four in five problems have rows of whole 16 B, as tile maps need them
inline Problem random_problem(Dice& dice, int operand_bytes) {
  Problem problem;
  problem.m = random_extent(dice, 300);
  problem.n = random_extent(dice, 300);
  problem.k = random_extent(dice, 400);
  problem.batch = dice.chance(75) ? 1 : dice.from(2, 3);
  bool const is_wide = operand_bytes == 2;  // the others have tiles of K-major operands only
  problem.a_order = dice.order(is_wide ? 60 : 85);
  problem.b_order = dice.order(is_wide ? 40 : 15);
  problem.d_order = dice.order(70);
  if (dice.chance(80)) {
    long long const unit = operand_bytes == 1 ? 16 : 8;
    for (long long* extent : {&problem.m, &problem.n, &problem.k})
      *extent = (*extent + unit - 1) / unit * unit;
  }
  return problem;
}

inline Steps random_steps(Dice& dice) {
  Steps steps;
  if (dice.chance(50)) return steps;
  if (dice.chance(50)) steps.alpha = static_cast<float>(dice.from(-300, 300)) / 100;
  if (dice.chance(50)) steps.beta = static_cast<float>(dice.from(-300, 300)) / 100;
  steps.activation = static_cast<Activation>(dice.from(0, 2));
  steps.has_bias = dice.chance(50);
  steps.has_residual = dice.chance(50);
  steps.has_row_scale = dice.chance(50);
  return steps;
}

/// Any of what there is; one in four a split of K and one in five parts of it, where there can be,
/// because those are few among the choices.
inline Choice random_choice(Dice& dice, std::vector<Choice> const& all) {
  std::vector<Choice> splits;
  std::vector<Choice> in_parts;
  for (Choice const& choice : all) {
    if (choice.cut.cluster.z > 1) splits.push_back(choice);
    if (choice.cut.parts > 1) in_parts.push_back(choice);
  }
  std::vector<Choice> const& from = !splits.empty() && dice.chance(25)     ? splits
                                    : !in_parts.empty() && dice.chance(27) ? in_parts
                                                                           : all;
  return from[static_cast<std::size_t>(dice.from(0, static_cast<long long>(from.size()) - 1))];
}

/// One in four as the library guesses, the others as any of the choices that there are.
template <class Target, class In>
CaseResult run_random_case(Target const& target, Dice& dice, std::uint64_t seed) {
  Problem const problem = random_problem(dice, sizeof(In));
  Steps const steps = random_steps(dice);
  int const shift = dice.chance(90) ? 0 : static_cast<int>(dice.from(1, 7));
  CaseResult result;
  try {
    Trial<Target, In> const trial(target, problem, steps, seed, shift);
    Gemm<Target, In> gemm = trial.make_gemm();
    if (dice.chance(75)) gemm = trial.make_gemm(random_choice(dice, gemm.choices()));
    result.choice = gemm.choice();
    gemm.launch();
    target.fence("gemm");
    Comparison const comparison = trial.compare();
    if (comparison.is_good()) return result;
    result.failure = comparison.worst;
  } catch (std::exception const& error) {
    result.failure = error.what();
  }
  result.failure = "problem " + std::to_string(seed) + ", " + std::to_string(sizeof(In)) +
                   " B operands, " + to_string(problem, steps) + ", shift " +
                   std::to_string(shift) + ", by " + to_string(result.choice) + ": " +
                   result.failure;
  return result;
}

template <class Target>
CaseResult run_random_problem(Target const& target, std::uint64_t seed) {
  Dice dice(seed);
  long long const type = dice.from(0, 9);
  if (type < 4) return run_random_case<Target, bfloat16>(target, dice, seed);
  if (type < 6) return run_random_case<Target, float16>(target, dice, seed);
  if (type < 8) return run_random_case<Target, float8_e4m3>(target, dice, seed);
  return run_random_case<Target, tfloat32>(target, dice, seed);
}

}  // namespace kohort::kernels::gemm
