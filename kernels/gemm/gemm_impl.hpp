// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/gemm.hpp>
#include <kernels/gemm/general_kernel.hpp>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

/// The members of Gemm; one unit a type instantiates them (kernels/gemm/types/*.cpp), because each
/// type has a dozen kernels.
namespace kohort::kernels::gemm {

template <class Target, class C>
class TiledLauncher : public Launcher {
 public:
  template <class... Arguments>
  explicit TiledLauncher(Arguments const&... arguments) : plan_(arguments...) {}
  int launches() const override { return plan_.launches(); }
  void launch(int which) const override { plan_.launch(which); }

 private:
  Plan<Target, C> plan_;
};

template <class Target, class In>
class GeneralLauncher : public Launcher {
 public:
  GeneralLauncher(Target const& target, Operands<In> const& with,
                  Epilogue<OutOf<In>> const& epilogue, GeneralArguments<In> arguments)
      : kernel_([&] {
          arguments.result.epilogue = epilogue;
          return arguments;
        }()),
        policy_(target, teams(with), 256) {}
  int launches() const override { return 1; }
  void launch(int) const override { parallel_for("gemm_general", policy_, kernel_); }

 private:
  static int teams(Operands<In> const& with) {
    double const all = 1.0 * tiles_of(with.m) * tiles_of(with.n) * static_cast<double>(with.batch);
    if (all >= 0x1p31)
      throw std::invalid_argument(
          "kohort: gemm: the result has 2^31 tiles of 128 x 128 or more; cut the problem up");
    return static_cast<int>(all);
  }
  GeneralKernel<Target, In> kernel_;
  GeneralPolicy<Target, In> policy_;
};

/// The configurations of a type, by tile and layout: which exist on a target, and how many stages
/// they have. To keep the number of kernels down, where an operand is not K-major there is the
/// largest alone.
template <class Target, class In, MatrixMajor A, MatrixMajor B>
struct Family {
  using wide = Config<In, A, B, 128, 256, 4>;
  using middle = Config<In, A, B, 128, 192, 4>;
  using narrow = Config<In, A, B, 128, 128, 6, 8>;
  using slim = Config<In, A, B, 64, 128, 8, 8>;
  using compact = Config<In, A, B, 128, 128, 3>;
  using small = Config<In, A, B, 64, 64, 2>;

  static constexpr bool both_along_k = A == MatrixMajor::k && B == MatrixMajor::k;
  /// Results of 4 B leave no room for a wide tile's.
  static constexpr bool has_narrow_results = sizeof(OutOf<In>) == 2;
  /// No AMD device has scratch for the first four, every NVIDIA device with clusters has.
  static constexpr bool is_hip = std::is_same_v<Target, Hip>;
  static constexpr bool is_cuda = std::is_same_v<Target, Cuda>;

  static constexpr bool exists(TileKind kind) {
    switch (kind) {
      case TileKind::wide:
        return !is_hip && has_narrow_results;
      case TileKind::middle:
        return !is_hip && has_narrow_results && both_along_k;
      case TileKind::narrow:
      case TileKind::slim:
        return !is_hip && both_along_k;
      case TileKind::compact:
        return is_hip || (!is_cuda && both_along_k);
      case TileKind::small:
        return !is_cuda && both_along_k;
      default:
        return false;
    }
  }
  static std::vector<TileKind> kinds() {
    std::vector<TileKind> all;
    for (TileKind const kind : all_tile_kinds)
      if (exists(kind)) all.push_back(kind);
    return all;
  }
  /// Calls `body` with the configuration of `kind`, which exists.
  template <class Body>
  static auto with(TileKind kind, Body const& body) {
    if constexpr (exists(TileKind::wide))
      if (kind == TileKind::wide) return body(wide{});
    if constexpr (exists(TileKind::middle))
      if (kind == TileKind::middle) return body(middle{});
    if constexpr (exists(TileKind::narrow))
      if (kind == TileKind::narrow) return body(narrow{});
    if constexpr (exists(TileKind::slim))
      if (kind == TileKind::slim) return body(slim{});
    if constexpr (exists(TileKind::compact))
      if (kind == TileKind::compact) return body(compact{});
    if constexpr (exists(TileKind::small))
      if (kind == TileKind::small) return body(small{});
    throw std::logic_error("kohort: gemm: no " + to_string(kind) + " tile here");
  }
};

/// Calls `body` with the Family for operands that lie so; false where there is none.
template <class Target, class In, class Body>
bool with_family(MatrixMajor a, MatrixMajor b, Body const& body) {
  if (a == MatrixMajor::k && b == MatrixMajor::k) {
    body(Family<Target, In, MatrixMajor::k, MatrixMajor::k>{});
    return true;
  }
  if constexpr (sizeof(In) == 2) {
    if (a == MatrixMajor::mn && b == MatrixMajor::mn) {
      body(Family<Target, In, MatrixMajor::mn, MatrixMajor::mn>{});
    } else if (a == MatrixMajor::mn) {
      body(Family<Target, In, MatrixMajor::mn, MatrixMajor::k>{});
    } else {
      body(Family<Target, In, MatrixMajor::k, MatrixMajor::mn>{});
    }
    return true;
  }
  return false;
}

/// The problem as the kernels have it: D row-major. D^T = B^T·A^T turns the others round.
template <class In>
Operands<In> operands_of(Problem const& problem, In const* a, In const* b, OutOf<In>* d) {
  bool const turned = problem.d_order == Order::column_major;
  bool const a_along_k = problem.a_order == Order::row_major;
  bool const b_along_k = problem.b_order == Order::column_major;
  Operands<In> with;
  with.m = problem.m;
  with.n = problem.n;
  with.k = problem.k;
  with.batch = problem.batch;
  with.a = a;
  with.b = b;
  with.d = d;
  with.a_major = a_along_k ? MatrixMajor::k : MatrixMajor::mn;
  with.b_major = b_along_k ? MatrixMajor::k : MatrixMajor::mn;
  with.a_stride = a_along_k ? problem.k : problem.m;
  with.b_stride = b_along_k ? problem.k : problem.n;
  with.a_batch_stride = problem.m * problem.k;
  with.b_batch_stride = problem.k * problem.n;
  with.d_batch_stride = problem.m * problem.n;
  if (turned) {
    std::swap(with.m, with.n);
    std::swap(with.a, with.b);
    std::swap(with.a_major, with.b_major);
    std::swap(with.a_stride, with.b_stride);
    std::swap(with.a_batch_stride, with.b_batch_stride);
  }
  with.d_stride = with.n;
  return with;
}

/// Whether tile maps can describe the operands and the result: addresses and strides in 16 B.
template <class In>
bool is_aligned(Operands<In> const& with) {
  auto const fits = [](void const* data, long long stride, long long batch_stride, std::size_t size,
                       long long batch) {
    auto const bytes = static_cast<long long>(size);
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && stride * bytes % 16 == 0 &&
           (batch == 1 || batch_stride * bytes % 16 == 0);
  };
  return fits(with.a, with.a_stride, with.a_batch_stride, sizeof(In), with.batch) &&
         fits(with.b, with.b_stride, with.b_batch_stride, sizeof(In), with.batch) &&
         fits(with.d, with.d_stride, with.d_batch_stride, sizeof(OutOf<In>), with.batch);
}

/// Whether the places of such tiles can be counted: by 16 bits along either side.
inline bool is_countable(TileKind kind, Extent const& extent) {
  return extent.m <= 65536LL * rows_of(kind) && extent.n <= 65536LL * columns_of(kind);
}

/// A launch of the tiled kernel; the tile maps' refusal in terms of the cluster.
template <class Target, class C>
std::shared_ptr<Launcher> tiled_launcher(Target const& target, Operands<typename C::In> const& with,
                                         Epilogue<typename C::Out> const& epilogue,
                                         Choice const& choice) {
  try {
    return std::make_shared<TiledLauncher<Target, C>>(target, with, epilogue, choice.cut);
  } catch (TileMapError const& error) {
    throw std::invalid_argument("kohort: gemm: " + to_string(choice) +
                                ": teams that share a tile each fetch a slice of it, so a cluster "
                                "has 1, 2, 4 or 8 of them along x and y (" +
                                error.what() + ")");
  }
}

template <class Target, class In>
std::shared_ptr<Launcher> general_launcher(Target const& target, Operands<In> const& with,
                                           Epilogue<OutOf<In>> const& epilogue) {
  auto const operand = [](In const* data, long long extent, MatrixMajor major, long long stride,
                          long long batch_stride) {
    bool const along_k = major == MatrixMajor::k;
    return AnyOperand<In>{data, extent, along_k ? stride : 1, along_k ? 1 : stride, batch_stride};
  };
  bool const paired = with.d_stride % 2 == 0 && with.d_batch_stride % 2 == 0 &&
                      reinterpret_cast<std::uintptr_t>(with.d) % (2 * sizeof(OutOf<In>)) == 0;
  GeneralArguments<In> const arguments{
      operand(with.a, with.m, with.a_major, with.a_stride, with.a_batch_stride),
      operand(with.b, with.n, with.b_major, with.b_stride, with.b_batch_stride),
      with.k,
      {with.d, with.m, with.n, with.d_stride, with.d_batch_stride, paired, {}}};
  return std::make_shared<GeneralLauncher<Target, In>>(target, with, epilogue, arguments);
}

inline void require_sizes(Problem const& problem) {
  for (long long const extent : {problem.m, problem.n, problem.k, problem.batch}) {
    if (extent < 1 || extent > (1LL << 31) - 1024)
      throw std::invalid_argument("kohort: gemm: m, n, k and batch are 1 to 2^31 - 1024, not " +
                                  std::to_string(extent));
  }
}

inline void require_operands(void const* a, void const* b, void const* d) {
  for (auto const& [name, data] : {std::pair("A", a), std::pair("B", b), std::pair("D", d)}) {
    if (data == nullptr)
      throw std::invalid_argument(std::string("kohort: gemm: ") + name +
                                  " is null; A, B and D lie in device memory");
  }
}

/// What must hold of a choice before its kernel is launched.
inline void require_choice(Choice const& choice, Extent const& extent,
                           std::vector<TileKind> const& kinds) {
  require_kind(choice, kinds);
  require_steps(choice, extent);
  if (!is_countable(choice.kind, extent))
    throw std::invalid_argument("kohort: gemm: " + to_string(choice) +
                                ": the result has more than 65536 such tiles side by side; take "
                                "larger ones, or the general kernel");
}

template <class Target, class In>
template <class Family>
void Gemm<Target, In>::tile(Family const& family, Target const& target, Operands<In> const& with,
                            Epilogue<Out> const& finish, Wish const& wish, Extent const& extent) {
  std::vector<TileKind> const kinds = family.kinds();
  if (wish.kind) require_kind({*wish.kind, {}}, kinds);
  choices_ = candidates_for(wish, extent, kinds);
  // Emulated clusters have their tiles in device memory: only if they are asked for.
  bool const emulates = properties(target).cluster_mode == ClusterMode::emulated;
  std::map<std::tuple<TileKind, int, int, int>, int> known;  // each asked of the device once
  auto const resident = [&](TileKind kind, ClusterShape shape) {
    if (emulates && shape.count() > 1 && !wish.cluster) return 0;
    if (!is_countable(kind, extent)) return 0;
    auto const [at, is_new] = known.try_emplace({kind, shape.x, shape.y, shape.z}, 0);
    if (is_new)
      at->second = family.with(kind, [&](auto config) {
        return Plan<Target, decltype(config)>::resident_clusters(target, with, shape);
      });
    return at->second;
  };
  choice_ = best_guess(extent, kinds, resident, wish);
  if (!wish.kind && !wish.cluster)
    std::erase_if(choices_, [&](Choice const& choice) {
      return resident(choice.kind, choice.cut.cluster) < 1;
    });
  if (choice_.kind == TileKind::general) return;
  require_choice(choice_, extent, kinds);
  launcher_ = family.with(choice_.kind, [&](auto config) -> std::shared_ptr<Launcher> {
    using C = decltype(config);
    fetched_bytes_ = Plan<Target, C>::fetched_bytes(with, choice_.cut);
    unshared_bytes_ = Plan<Target, C>::fetched_bytes(with, {{1, 1, choice_.cut.cluster.z}});
    return tiled_launcher<Target, C>(target, with, finish, choice_);
  });
}

template <class Target, class In>
Gemm<Target, In>::Gemm(Target const& target, Problem const& problem, In const* a, In const* b,
                       Out* d, Epilogue<Out> const& epilogue, Wish const& wish) {
  require_sizes(problem);
  require_operands(a, b, d);
  require_parts(wish);
  Operands<In> const with = operands_of(problem, a, b, d);
  Epilogue<Out> finish = epilogue;
  finish.is_transposed = problem.d_order == Order::column_major;
  constexpr long long depth = 128 / static_cast<long long>(sizeof(In));
  Extent const extent{with.m, with.n, (with.k + depth - 1) / depth, with.batch};
  bool const wants_tiles = (wish.kind && *wish.kind != TileKind::general) ||
                           (wish.cluster && wish.cluster->count() > 1) || wish.parts > 1;
  bool const tiled = is_aligned(with) &&
                     with_family<Target, In>(with.a_major, with.b_major, [&](auto const& family) {
                       if (wish.kind != TileKind::general)
                         tile(family, target, with, finish, wish, extent);
                     });
  if (launcher_ != nullptr) {
    ClusterShape const& shape = choice_.cut.cluster;
    long long const rows = static_cast<long long>(rows_of(choice_.kind)) * shape.x;
    long long const columns = static_cast<long long>(columns_of(choice_.kind)) * shape.y;
    fetched_bytes_of_a_ =
        fetched_bytes_ / (rows + columns) * (finish.is_transposed ? columns : rows);
    if (!wants_tiles) choices_.push_back({});
    return;
  }
  if (wants_tiles)
    throw std::invalid_argument(
        std::string("kohort: gemm: tiles that teams share need ") +
        (tiled ? "another kernel than the general one, or a device that has room for them"
               : "addresses and row lengths in multiples of 16 B, and K-major operands of 8 or 32 "
                 "bits: take the general kernel in clusters of one, or pad the matrices"));
  choice_ = {};
  choices_ = {choice_};
  launcher_ = general_launcher<Target, In>(target, with, finish);
}

}  // namespace kohort::kernels::gemm
