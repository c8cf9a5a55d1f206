// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only kohort::Cuda has: a stream of its own or a borrowed one, capture into a graph, and the
// driver's view of a launch. Compiled for the simulator, this file registers nothing.
#include "device.hpp"

#if defined(__CUDACC__)

#include <cuda_runtime.h>

#include <algorithm>
#include <thread>

namespace kohort::conformance::cuda_streams {

void require_cuda(cudaError_t error, std::string const& doing,
                  CallSite site = CallSite::current()) {
  require(error == cudaSuccess, doing + ": " + cudaGetErrorString(error), site);
}

/// A capture of the target's stream, and what came of it.
class Capture {
 public:
  explicit Capture(Cuda const& target) : stream_(target.stream()) {
    require_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal),
                 "beginning a capture");
  }
  ~Capture() {
    if (capturing_) cudaStreamEndCapture(stream_, &graph_);
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
    cudaGetLastError();
  }
  Capture(Capture const&) = delete;
  Capture& operator=(Capture const&) = delete;

  void end() {
    capturing_ = false;
    require_cuda(cudaStreamEndCapture(stream_, &graph_), "ending a capture");
  }
  std::vector<cudaGraphNode_t> nodes() const {
    std::size_t count = 0;
    require_cuda(cudaGraphGetNodes(graph_, nullptr, &count), "counting nodes");
    std::vector<cudaGraphNode_t> all(count);
    require_cuda(cudaGraphGetNodes(graph_, all.data(), &count), "getting nodes");
    return all;
  }
  void replay() {
    if (executable_ == nullptr)
      require_cuda(cudaGraphInstantiate(&executable_, graph_, 0), "instantiating a graph");
    require_cuda(cudaGraphLaunch(executable_, stream_), "launching a graph");
  }

 private:
  cudaStream_t stream_;
  bool capturing_ = true;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

using Pair = ClusterPolicy<Cuda, ClusterDims<2>, ClusterScratch<int[64]>>;
using Plain = ClusterPolicy<Cuda>;

/// Every element becomes the sum of itself and the neighbour team's.
void add_neighbour(Cuda const& target, int const* in, int* out, int teams) {
  parallel_for(
      "add_neighbour", Pair(target, teams, 64), KOHORT_LAMBDA(Pair::member_type const& member) {
        int const element = member.league_rank() * 64 + member.team_rank();
        auto mine = member.cluster_scratch();
        mine[member.team_rank()] = in[element];
        member.cluster_barrier();
        auto peer = member.peer(mine, member.cluster_rank() ^ 1);
        out[element] = mine[member.team_rank()] + peer[member.team_rank()];
      });
}

void sum_all(Cuda const& target, int const* in, Buffer<int, Cuda> const& sum, int teams) {
  parallel_reduce(
      "sum_all", Plain(target, teams, 64),
      KOHORT_LAMBDA(Plain::member_type const& member, int& update) {
        update += in[member.league_rank() * 64 + member.team_rank()];
      },
      sum);
}

void a_graph_replays_launches_and_reductions(Cuda const& target) {
  int const teams = 6;
  auto const in = filled<int>(target, teams * 64, 1);
  auto const out = poisoned<int>(target, teams * 64);
  auto const sum = poisoned<int>(target, 1);
  // Both kernels, and the reduction's workspace, are new to this target: the first launch of a
  // kernel prepares it, and must do so without breaking the capture.
  Capture capture(target);
  add_neighbour(target, in.data(), out.data(), teams);
  sum_all(target, out.data(), sum, teams);
  capture.end();
  require_equal(capture.nodes().size(), std::size_t{2}, "nodes, one a launch");
  for (int value : {3, -7, 1000}) {
    deep_copy(in, value);
    capture.replay();
    require_equal(download(sum)[0], 2 * value * teams * 64, "the sum after a replay");
  }
}

void a_refusal_leaves_the_capture_whole(Cuda const& target) {
  auto const in = filled<int>(target, 2 * 64, 5);
  auto const out = poisoned<int>(target, 2 * 64);
  Capture capture(target);
  require_throws<LaunchError>([&] { add_neighbour(target, in.data(), out.data(), 3); },
                              "a league of 3 in clusters of 2");
  add_neighbour(target, in.data(), out.data(), 2);
  capture.end();
  capture.replay();
  require_all_equal(download(out), std::vector<int>(2 * 64, 10), "the launch after the refusal");
}

void waiting_in_a_capture_is_refused(Cuda const& target) {
  auto const in = filled<int>(target, 2 * 64, 6);
  auto const out = poisoned<int>(target, 2 * 64);
  Capture capture(target);
  DeviceError const error =
      require_throws<DeviceError>([&] { target.fence("in the capture"); }, "a fence in a capture");
  std::string const text = error.what();
  require_equal(error.error(), "cudaErrorStreamCaptureUnsupported", "CUDA's name of the error");
  require(text.find("\"in the capture\"") != std::string::npos, "the label is missing in: " + text);
  require(text.find("captured into a graph") != std::string::npos, "no hint in: " + text);
  require_throws<DeviceError>([&] { deep_copy(in, 7); }, "a copy in a capture");
  int sum = 0;
  require_throws<DeviceError>(
      [&] {
        parallel_reduce(
            "to the host", Plain(target, 2, 32),
            KOHORT_LAMBDA(Plain::member_type const&, int& update) { update += 1; }, sum);
      },
      "a reduction to the host in a capture");
  // None of the three broke the capture.
  add_neighbour(target, in.data(), out.data(), 2);
  capture.end();
  require_equal(capture.nodes().size(), std::size_t{1}, "nodes");
  capture.replay();
  require_all_equal(download(out), std::vector<int>(2 * 64, 12), "the launch after the refusals");
}

unsigned clusters_of_node(cudaGraphNode_t node) {
  cudaLaunchAttributeValue value = {};
  require_cuda(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &value),
               "asking a node for its cluster");
  return std::max(value.clusterDim.x, 1u) * std::max(value.clusterDim.y, 1u) *
         std::max(value.clusterDim.z, 1u);
}

void a_cluster_of_one_is_launched_as_a_plain_kernel(Cuda const& target) {
  auto const nothing = KOHORT_LAMBDA(Plain::member_type const&){};
  Capture capture(target);
  parallel_for("one", Plain(target, 12, 32, ClusterShape(1)), nothing);
  parallel_for("four", Plain(target, 12, 32, ClusterShape(4)).mode(ClusterMode::native), nothing);
  capture.end();
  std::vector<unsigned> sizes;
  for (cudaGraphNode_t node : capture.nodes()) sizes.push_back(clusters_of_node(node));
  std::sort(sizes.begin(), sizes.end());
  require_all_equal(sizes, std::vector<unsigned>{1, 4}, "cluster sizes that the driver was given");
}

void a_borrowed_stream_is_used(Cuda const& target) {
  cudaStream_t stream = nullptr;
  require_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  {
    Cuda const borrowed(stream);
    require(borrowed.stream() == stream, "another stream than the borrowed one");
    require_equal(borrowed.device(), target.device(), "the stream's device");
    auto const in = filled<int>(borrowed, 2 * 64, 4);
    auto const out = poisoned<int>(borrowed, 2 * 64);
    add_neighbour(borrowed, in.data(), out.data(), 2);
    // Waits through CUDA alone: the work went where it was sent.
    require_cuda(cudaStreamSynchronize(stream), "waiting for the stream");
    require_all_equal(download(out), std::vector<int>(2 * 64, 8), "results on a borrowed stream");
  }
  require_cuda(cudaStreamDestroy(stream), "the stream outlives its borrower");
}

void threads_share_a_target(Cuda const& target) {
  std::vector<std::string> failures(4);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&target, &failures, thread] {
      for (int round = 0; round < 20; ++round) {
        int const teams = 3 + 5 * thread + round;
        int sum = 0;
        parallel_reduce(
            "shared", Plain(target, teams, 32),
            KOHORT_LAMBDA(Plain::member_type const&, int& update) { update += thread + 1; }, sum);
        if (sum != teams * 32 * (thread + 1)) failures[thread] = "a sum of " + std::to_string(sum);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::string const& failure : failures) require(failure.empty(), failure);
}

void probed_groups_explain_the_resident_limit(Cuda const& target) {
  DeviceProperties const device = properties(target);
  std::vector<int> const groups = probe_domains(target);
  auto const pair = Plain(target, 2, 32, ClusterShape(2)).mode(ClusterMode::native);
  if (!pair.validate(KOHORT_LAMBDA(Plain::member_type const&){})) {
    require(groups.empty(), "groups on a device without clusters");
    return;
  }
  using Full = ClusterPolicy<Cuda, DynamicTeamScratch<char>>;
  auto const touch = KOHORT_LAMBDA(Full::member_type const& member) {
    member.dynamic_team_scratch()[0] = 1;
  };
  for (int size = 1; size <= device.largest_nonportable_cluster; ++size) {
    int expected = 0;
    for (int group : groups) expected += group / size;
    Full policy(target, size, 128, ClusterShape(size));
    policy.allow_nonportable_size()
        .mode(ClusterMode::native)
        .dynamic_team_scratch(static_cast<int>(device.max_team_scratch_bytes));
    require_equal(policy.max_active_clusters(touch), expected,
                  "clusters of " + std::to_string(size) + " resident, one team an SM");
  }
}

/// Skips where the kernels have no emulated form.
void needs_emulation(Cuda const& target) {
  Support const support = Plain(target, 2, 32, ClusterShape(2))
                              .mode(ClusterMode::emulated)
                              .validate(KOHORT_LAMBDA(Plain::member_type const&){});
  if (!support) throw CaseSkipped("needs emulated clusters: " + support.reason);
}

/// Domains that no hardware has, of very different sizes: teams take tickets in each, and those
/// that fill no cluster stand aside.
void emulated_clusters_keep_to_their_domains(Cuda const& target) {
  needs_emulation(target);
  int const sms = properties(target).sm_count;
  std::vector<int> domain_of_sm;
  for (int sm = 0; sm < sms; ++sm) domain_of_sm.push_back(sm < 5 ? 0 : sm < 40 ? 1 : sm % 3 + 2);
  Cuda const divided;
  divided.divide_into_domains(domain_of_sm);
  for (int size : {2, 3, 4, 5, 16}) {
    for (int clusters : {1, 7, 61, 997}) {
      for (TaskHandout handout :
           {TaskHandout::automatic, TaskHandout::fixed, TaskHandout::dynamic}) {
        int const teams = clusters * size;
        auto const sm_of_team = poisoned<int>(divided, teams);
        auto const counts = filled<int>(divided, teams, 0);
        int* const place = sm_of_team.data();
        int* const count = counts.data();
        auto policy = Plain(divided, teams, 128, ClusterShape(size));
        policy.allow_nonportable_size().mode(ClusterMode::emulated).task_handout(handout);
        parallel_for(
            "domains", policy, KOHORT_LAMBDA(Plain::member_type const& member) {
              if (member.team_rank() == 0) {
                place[member.league_rank()] = member.sm();
                atomic_add(&count[member.league_rank()], 1);
              }
              member.cluster_barrier();
            });
        std::string const what = std::to_string(clusters) + " clusters of " + std::to_string(size);
        require_all_equal(download(counts), std::vector<int>(teams, 1), what);
        std::vector<int> const seen = download(sm_of_team);
        for (int team = 0; team < teams; ++team)
          require_equal(domain_of_sm[seen[team]], domain_of_sm[seen[team / size * size]],
                        what + ": the domain of team " + std::to_string(team));
      }
    }
  }
  for (std::vector<int> const& wrong :
       {std::vector<int>(sms - 1, 0), std::vector<int>(sms, 1), std::vector<int>(sms, -1)})
    require_throws<std::invalid_argument>([&] { divided.divide_into_domains(wrong); },
                                          "domains that can't be");
}

void a_graph_replays_emulated_clusters(Cuda const& target) {
  needs_emulation(target);
  Cuda const emulated;
  emulated.set_cluster_mode(ClusterMode::emulated);
  auto const in = filled<int>(emulated, 600 * 64, 3);
  auto const out = filled<int>(emulated, 600 * 64, 0);
  add_neighbour(emulated, in.data(), out.data(), 600);  // allocates
  Capture capture(emulated);
  add_neighbour(emulated, in.data(), out.data(), 600);
  add_neighbour(emulated, out.data(), in.data(), 600);
  capture.end();
  require_equal(capture.nodes().size(), std::size_t{2}, "nodes");
  for (int time = 0; time < 3; ++time) capture.replay();
  require_all_equal(download(in), std::vector<int>(600 * 64, 3 * 4 * 4 * 4), "after three replays");
}

Rung<Cuda> const rung(
    "19_cuda_streams",
    {{"AGraphReplaysLaunchesAndReductions", a_graph_replays_launches_and_reductions},
     {"ARefusalLeavesTheCaptureWhole", a_refusal_leaves_the_capture_whole},
     {"WaitingInACaptureIsRefused", waiting_in_a_capture_is_refused},
     {"AClusterOfOneIsLaunchedAsAPlainKernel", a_cluster_of_one_is_launched_as_a_plain_kernel},
     {"ABorrowedStreamIsUsed", a_borrowed_stream_is_used},
     {"EmulatedClustersKeepToTheirDomains", emulated_clusters_keep_to_their_domains},
     {"AGraphReplaysEmulatedClusters", a_graph_replays_emulated_clusters},
     {"ThreadsShareATarget", threads_share_a_target},
     {"ProbedGroupsExplainTheResidentLimit", probed_groups_explain_the_resident_limit}});

}  // namespace kohort::conformance::cuda_streams

#endif
