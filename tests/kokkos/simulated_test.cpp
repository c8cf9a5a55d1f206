// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host spaces: the simulator's devices and findings through Kokkos.
#include "recorder.hpp"
#include "space.hpp"

#if !defined(KOKKOS_ENABLE_CUDA)

namespace kohort_kokkos_test {
namespace {

/// The process' simulator, put back afterwards.
class SimulatorFor {
 public:
  explicit SimulatorFor(kohort::SimulatorOptions const& options)
      : before_(kohort::kokkos_simulator()) {
    kohort::kokkos_simulator() = kohort::Simulator(options);
  }
  SimulatorFor(SimulatorFor const&) = delete;
  SimulatorFor& operator=(SimulatorFor const&) = delete;
  ~SimulatorFor() { kohort::kokkos_simulator() = before_; }

 private:
  kohort::Simulator before_;
};

template <class Space>
std::string finding_of_a_wrong_peer(char const* label = "ring of four") {
  using Policy = kohort::ClusterPolicy<Space>;
  using Member = typename Policy::member_type;
  using Cells = Kokkos::View<int*, typename Member::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  Policy policy(4, 8);
  policy.set_cluster_size(4).set_scratch_size(0, kohort::PerCluster(Cells::shmem_size(8)));
  return refusal([&] {
    Kokkos::parallel_for(
        label, policy, KOKKOS_LAMBDA(Member const& member) {
          Cells const cells(member.cluster_scratch(0), 8);
          cells(member.team_rank()) = 1;
          member.cluster_barrier();
          member.peer(cells, member.cluster_rank() + 1)(0) = 2;
          member.cluster_barrier();
        });
  });
}

template <class Space>
class Simulated : public ::testing::Test {};
TYPED_TEST_SUITE(Simulated, Spaces);

TYPED_TEST(Simulated, FindingsNameTheLabel) {
  std::string const text = finding_of_a_wrong_peer<TypeParam>();
  EXPECT_SAYS(text, "peer-rank");
  EXPECT_SAYS(text, "ring of four");
  EXPECT_SAYS(text, "simulated_test.cpp");
}

TYPED_TEST(Simulated, FindingsNameTheFunctorWithoutALabel) {
  Kokkos::parallel_for("before", Kokkos::RangePolicy<TypeParam>(0, 1), [](int) {});
  std::string const text = finding_of_a_wrong_peer<TypeParam>("");
  EXPECT_SAYS(text, "finding_of_a_wrong_peer<");
  EXPECT_EQ(text.find("before"), std::string::npos) << text;
}

TYPED_TEST(Simulated, FindingsNameTheFunctorWhereAToolHasTheLabel) {
  finding_of_a_wrong_peer<TypeParam>();  // from here on we listen
  Kokkos::parallel_for("before", Kokkos::RangePolicy<TypeParam>(0, 1), [](int) {});
  Recorder const recorder;
  std::string const text = finding_of_a_wrong_peer<TypeParam>();
  EXPECT_SAYS(text, "peer-rank");
  EXPECT_SAYS(text, "finding_of_a_wrong_peer");
  EXPECT_EQ(text.find("before"), std::string::npos) << text;
  EXPECT_EQ(seen().begun, std::vector<std::string>{"ring of four"});
}

TYPED_TEST(Simulated, PeersOfOtherScratchAreRefused) {
  using Policy = kohort::ClusterPolicy<TypeParam>;
  using Member = typename Policy::member_type;
  using Cells = Kokkos::View<int*, typename Member::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  Policy policy(2, 4);
  policy.set_cluster_size(2).set_scratch_size(0, Kokkos::PerTeam(64), kohort::PerCluster(64));
  for (int which : {0, 1}) {
    std::string const text = refusal([&] {
      Kokkos::parallel_for(
          "foreign", policy, KOKKOS_LAMBDA(Member const& member) {
            Cells const cells = which == 0 ? Cells(member.team_scratch(0), 8)
                                           : Cells(member.cluster_scratch(0), 1000);  // no data
            member.peer(cells, 0)(0) = 1;
          });
    });
    EXPECT_SAYS(text, "kernel-exception");
    EXPECT_SAYS(text, "carve it from member.cluster_scratch(0)");
  }
}

TYPED_TEST(Simulated, DeviceIsTheSimulators) {
  SimulatorFor const tiny({.profile = "tiny"});
  using Policy = kohort::ClusterPolicy<TypeParam>;
  using Member = typename Policy::member_type;
  auto const nothing = [](Member const&) {};
  Kokkos::parallel_for("automatic", Policy(8, Kokkos::AUTO), nothing);  // 64 threads at most
  Policy policy(8, 16);
  EXPECT_EQ(policy.cluster_size_max(nothing, Kokkos::ParallelForTag()),
            kohort::kokkos_simulator().profile().max_portable_cluster);
  EXPECT_SAYS(
      refusal([&] { Kokkos::parallel_for("too large", policy.set_cluster_size(8), nothing); }),
      "tiny");
}

}  // namespace
}  // namespace kohort_kokkos_test

#endif
