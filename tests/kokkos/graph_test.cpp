// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A space instance's stream that is captured: launches become nodes of a CUDA graph.
#include "space.hpp"

#if defined(KOKKOS_ENABLE_CUDA)

namespace kohort_kokkos_test {
namespace {

void captured_launches_are_replayed() {
  using Policy = kohort::ClusterPolicy<Kokkos::Cuda>;
  using Member = typename Policy::member_type;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  {
    Kokkos::Cuda const space(stream);
    Array<Kokkos::Cuda, int> count("count", 1);
    Policy policy(space, 8, 32);
    policy.set_cluster_size(4);
    auto const add = KOKKOS_LAMBDA(Member const& member) {
      Kokkos::single(kohort::PerCluster(member), [&] { Kokkos::atomic_inc(&count(0)); });
    };
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    std::string const refused = refusal([&] {
      Kokkos::parallel_for("captured", policy, add);
      Kokkos::parallel_for("captured", policy, add);
    });
    EXPECT_EQ(refused, "");
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(cudaGraphLaunch(replay, stream), cudaSuccess);
    space.fence();
    EXPECT_EQ(on_host(count)(0), 3 * 2 * 2);
    cudaGraphExecDestroy(replay);
    cudaGraphDestroy(graph);
  }
  cudaStreamDestroy(stream);
}

TEST(Graph, CapturedLaunchesAreReplayed) { captured_launches_are_replayed(); }

}  // namespace
}  // namespace kohort_kokkos_test

#endif
