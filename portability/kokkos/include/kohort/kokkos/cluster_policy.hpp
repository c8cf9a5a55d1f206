// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kokkos/member.hpp>
#include <kohort/kokkos/tools.hpp>
#include <kohort/kokkos/traits.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace kohort {

namespace Impl {

/// Bytes of mappable scratch a team.
struct PerClusterValue {
  std::size_t bytes;
};

/// The core's policy of a Kokkos policy: the same launch, Kokkos' member.
template <class Space, class... Traits>
class KokkosCorePolicy : public ClusterPolicy<typename SpaceTarget<Space>::type, Traits...> {
  using Base = ClusterPolicy<typename SpaceTarget<Space>::type, Traits...>;

 public:
  using member_type = KokkosMember<Space, typename Base::traits>;
  using Base::Base;
};

inline void require_league(League const& league) {
  bool const is_one =
      league.x >= 0 && league.y >= 0 && league.z >= 0 && league.count() < 1LL << 31U;
  if (!is_one)
    throw std::invalid_argument("kohort: ClusterPolicy: a league has 0 to 2^31 - 1 teams, not " +
                                to_string(league));
}

/// What fits is the device's to say; here lanes must be countable.
inline void require_team(int threads, int vector_length) {
  long long const lanes = static_cast<long long>(threads) * vector_length;
  if (threads < 0 || lanes >= 1LL << 30U)
    throw std::invalid_argument(
        "kohort: ClusterPolicy: a team has 1 thread or more and under 2^30 "
        "lanes, or AUTO, not " +
        std::to_string(threads) + " threads of " + std::to_string(vector_length));
}

/// A negative number of bytes arrives as a huge one.
inline std::size_t scratch_bytes(std::size_t bytes) {
  if (bytes > std::size_t{1} << 40U)
    throw std::invalid_argument("kohort: ClusterPolicy: scratch of " + std::to_string(bytes) +
                                " B is more than any device has, or a negative number");
  return bytes;
}

inline void require_level(int level) {
  if (level != 0 && level != 1)
    throw std::invalid_argument("kohort: ClusterPolicy: scratch has the levels 0 and 1, not " +
                                std::to_string(level));
}

inline void require_vector_length(int length) {
  bool const is_power = length >= 1 && (length & (length - 1)) == 0;
  if (!is_power || length > 32)
    throw std::invalid_argument(
        "kohort: ClusterPolicy: a vector length is 1, 2, 4, 8, 16 or 32, not " +
        std::to_string(length));
}

// The answers to a policy's questions (launch.hpp).
template <class Policy, class Functor, class Tag>
int largest_team(Policy const& policy, Functor const& functor, Tag tag);
template <class Policy, class Functor, class Tag>
int recommended_team(Policy const& policy, Functor const& functor, Tag tag);
template <class Policy, class Functor, class Tag>
int largest_cluster_of(Policy const& policy, Functor const& functor, Tag tag);
template <class Policy, class Functor>
int recommended_cluster(Policy policy, Functor const& functor);

inline int log2_of(int power) {
  int shift = 0;
  while (1 << shift < power) ++shift;
  return shift;
}

}  // namespace Impl

/// For set_scratch_size(): `bytes` of scratch in each team that the cluster's peers can map.
inline Impl::PerClusterValue PerCluster(std::size_t bytes) { return {bytes}; }

/// A league of teams in co-resident clusters as a Kokkos execution policy: for
/// Kokkos::parallel_for and Kokkos::parallel_reduce.
///
/// @tparam Space   Kokkos::Cuda: clusters of the hardware, in the instance's stream. A host space:
///                 the simulator (kokkos_simulator()).
/// @tparam Traits  Kokkos' (a work tag, LaunchBounds, …) and ours (ClusterDims, TeamScratch,
///                 ClusterScratch, ManualLifetime), in any order.
template <class Space, class... Traits>
requires(Kokkos::is_execution_space<Space>::value)  //
    class ClusterPolicy<Space, Traits...> {
  using Split = Impl::SplitTraits<Impl::TraitList<>, Impl::TraitList<>, Traits...>;
  using Described = typename Split::template kokkos<Space>;
  using Target = typename Impl::SpaceTarget<Space>::type;

 public:
  using execution_policy = ClusterPolicy;
  using execution_space = Space;
  using work_tag = typename Described::work_tag;
  using launch_bounds = typename Described::launch_bounds;
  using schedule_type = typename Described::schedule_type;
  using index_type = typename Described::index_type;
  /// The core's policy, for its questions.
  using core_policy =
      typename Impl::CoreTraits<typename Split::core, typename launch_bounds::type>::template apply<
          Impl::KokkosCorePolicy, Space>;
  using member_type = typename core_policy::member_type;

  /// `league` counts teams, `team` threads of `vector_length` lanes. Clusters of one team, or of
  /// ClusterDims; set_cluster_size() says another shape.
  /// @throws std::invalid_argument for a league or team of fewer than none, or a vector length that
  ///         no subgroup has
  ClusterPolicy(Space const& space, League league, TeamSize team, int vector_length = 1)
      : space_(space), league_(league), team_(team.threads), vector_length_(vector_length) {
    Impl::require_league(league);
    Impl::require_vector_length(vector_length);
    Impl::require_team(team.threads, vector_length);
    Impl::LabelListener::listen();
  }
  ClusterPolicy(League league, TeamSize team, int vector_length = 1)
      : ClusterPolicy(Space(), league, team, vector_length) {}
  ClusterPolicy(Space const& space, League league, Kokkos::AUTO_t, int vector_length = 1)
      : ClusterPolicy(space, league, AUTO, vector_length) {}
  ClusterPolicy(League league, Kokkos::AUTO_t, int vector_length = 1)
      : ClusterPolicy(Space(), league, AUTO, vector_length) {}

  /// A vector length of AUTO is one: Kokkos chooses none that is better on a device.
  ClusterPolicy(Space const& space, League league, TeamSize team, Kokkos::AUTO_t)
      : ClusterPolicy(space, league, team) {}
  ClusterPolicy(League league, TeamSize team, Kokkos::AUTO_t) : ClusterPolicy(league, team) {}
  ClusterPolicy(Space const& space, League league, Kokkos::AUTO_t, Kokkos::AUTO_t)
      : ClusterPolicy(space, league, AUTO) {}
  ClusterPolicy(League league, Kokkos::AUTO_t, Kokkos::AUTO_t) : ClusterPolicy(league, AUTO) {}
  /// A league of none.
  ClusterPolicy() : ClusterPolicy(0, AUTO) {}

  Space const& space() const { return space_; }
  int league_size() const { return static_cast<int>(league_.count()); }
  /// 0 stands for AUTO.
  int team_size() const { return team_; }
  int vector_length() const { return vector_length_; }
  ClusterShape cluster_size() const { return cluster_; }

  /// Teams of a cluster; the league is a multiple of it.
  ClusterPolicy& set_cluster_size(ClusterShape shape) {
    cluster_ = shape;
    cluster_is_automatic_ = false;
    return *this;
  }
  /// The library chooses, as cluster_size_recommended() does; nothing where ClusterDims has said.
  ClusterPolicy& set_cluster_size(AutoType) {
    cluster_is_automatic_ = !core_policy::traits::has_static_shape;
    return *this;
  }
  ClusterPolicy& set_cluster_size(Kokkos::AUTO_t) { return set_cluster_size(AUTO); }
  /// Accepts clusters over the portable size (8 on NVIDIA), as large as the device has.
  ClusterPolicy& allow_nonportable_size() {
    nonportable_ = true;
    return *this;
  }

  /// For the sake of code that was TeamPolicy's: a league has no chunks here.
  ClusterPolicy& set_chunk_size(int) { return *this; }
  static constexpr int vector_length_max() { return 32; }
  /// The team's size where it was left to the library.
  ClusterPolicy& set_lanes(int lanes) {
    team_ = lanes / vector_length_;
    return *this;
  }

  /// Bytes of scratch: of a team, of each thread, and of each team for its cluster. Level 0 is the
  /// SM's; level 1, device memory that each launch takes and gives back, has none for clusters.
  /// @throws std::invalid_argument
  template <class... Sizes>
  ClusterPolicy& set_scratch_size(int level, Sizes const&... sizes) {
    Impl::require_level(level);
    (set_size(level, sizes), ...);
    return *this;
  }

  std::size_t scratch_size(int level, int team_size) const {
    Impl::require_level(level);
    return scratch_[level].team + scratch_[level].thread * static_cast<std::size_t>(team_size);
  }
  std::size_t cluster_scratch_size() const { return cluster_bytes_; }

  /// The most threads a team of this kernel can have, the scratch counted in; 0 if none fit. Of a
  /// reduction an estimate: what the league's total takes beside the functor is not asked about.
  /// @param tag  Kokkos::ParallelForTag or ParallelReduceTag, as Kokkos asks
  template <class Functor, class Tag>
  int team_size_max(Functor const& functor, Tag const& tag) const {
    return Impl::largest_team(*this, functor, tag);
  }
  /// The one with which most threads are resident.
  template <class Functor, class Tag>
  int team_size_recommended(Functor const& functor, Tag const& tag) const {
    return Impl::recommended_team(*this, functor, tag);
  }
  /// The same for a reduction with a reducer, as Kokkos has it.
  template <class Functor, class Reducer>
  int team_size_max(Functor const& functor, Reducer const&, Kokkos::ParallelReduceTag tag) const {
    return Impl::largest_team(*this, functor, tag);
  }
  template <class Functor, class Reducer>
  int team_size_recommended(Functor const& functor, Reducer const&,
                            Kokkos::ParallelReduceTag tag) const {
    return Impl::recommended_team(*this, functor, tag);
  }
  /// The most teams a cluster of this kernel can have; 0 if not even one fits.
  template <class Functor, class Tag>
  int cluster_size_max(Functor const& functor, Tag const& tag) const {
    return Impl::largest_cluster_of(*this, functor, tag);
  }
  /// The largest portable power of two that divides the league and is resident.
  template <class Functor, class Tag>
  int cluster_size_recommended(Functor const& functor, Tag const&) const {
    return Impl::recommended_cluster(*this, functor);
  }

  /// Threads of a team with all their lanes, as launched: of AUTO what the bounds allow, or 256,
  /// and less where that does not fit (shaped()).
  int lanes() const {
    if (team_ > 0) return team_ * vector_length_;
    constexpr int bound = core_policy::traits::launch_bounds_threads;
    int const wanted = bound > 0 ? bound : 256;
    return wanted < vector_length_ ? vector_length_ : wanted / vector_length_ * vector_length_;
  }

  /// The core's policy with `lanes` a team.
  /// @param functor_bytes  of a team's scratch that the functor asks for itself (team_shmem_size)
  core_policy core(int lanes, std::size_t functor_bytes = 0) const {
    core_policy policy(Impl::SpaceTarget<Space>::of(space_), league_, TeamSize(lanes), cluster_);
    if (nonportable_) policy.allow_nonportable_size();
    policy.dynamic_cluster_scratch(
        Impl::ScratchUnit::needed(static_cast<long long>(cluster_bytes_)));
    policy.dynamic_team_scratch(Impl::ScratchUnit::needed(
        static_cast<long long>(scratch_size(0, lanes / vector_length_) + functor_bytes)));
    return policy;
  }

  /// What the kernel's members are told.
  Impl::KokkosLaunch launch(int lanes) const {
    Impl::KokkosLaunch launch;
    launch.vector_shift = Impl::log2_of(vector_length_);
    auto const bytes = static_cast<long long>(scratch_size(1, lanes / vector_length_));
    if (bytes > 0) {
      launch.level1_team_bytes = (bytes + 127) / 128 * 128;
      reserve_level1(launch.level1_team_bytes * league_.count());
      launch.level1 = level1_.data();
    }
    return launch;
  }

  bool cluster_is_automatic() const { return cluster_is_automatic_; }
  League const& league() const { return league_; }

 private:
  using Level1 = Kokkos::View<char*, typename Space::memory_space>;
  struct Scratch {
    std::size_t team = 0;
    std::size_t thread = 0;
  };

  void set_size(int level, Kokkos::Impl::PerTeamValue const& size) {
    scratch_[level].team = Impl::scratch_bytes(static_cast<std::size_t>(size.value));
  }
  void set_size(int level, Kokkos::Impl::PerThreadValue const& size) {
    scratch_[level].thread = Impl::scratch_bytes(static_cast<std::size_t>(size.value));
  }
  void set_size(int level, Impl::PerClusterValue const& size) {
    if (level != 0)
      throw std::invalid_argument(
          "kohort: ClusterPolicy: PerCluster scratch is of level 0; what all teams reach in device "
          "memory is a View");
    cluster_bytes_ = Impl::scratch_bytes(size.bytes);
  }

  /// Of this copy of the policy alone: a launch makes one, so launches side by side don't share it.
  /// A View that ends waits for the kernels that use it.
  void reserve_level1(long long bytes) const {
    level1_ =
        Level1(Kokkos::view_alloc(space_, Kokkos::WithoutInitializing, "kohort: scratch level 1"),
               static_cast<std::size_t>(bytes));
  }

  Space space_;
  League league_;
  int team_;
  int vector_length_;
  ClusterShape cluster_ = core_policy::traits::static_shape;
  bool cluster_is_automatic_ = false;
  bool nonportable_ = false;
  Scratch scratch_[2];
  std::size_t cluster_bytes_ = 0;
  mutable Level1 level1_;
};

}  // namespace kohort
