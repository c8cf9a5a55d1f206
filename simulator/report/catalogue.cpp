// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace kohort::simulator {
namespace {

constexpr std::array<CatalogueEntry, 41> entries{{
    {"team-barrier-divergent",
     "a team barrier needs every thread of the team; on an H200 this passes silently and pairs "
     "with "
     "a later barrier",
     "move the barrier out of the branch; let the condition choose the value, not the arrival"},
    {"team-barrier-mismatch",
     "threads of one team met at two different team barriers; the hardware pairs them silently, "
     "and "
     "each side believes in an order that the other did not keep",
     "let all threads of the team pass the same barriers in the same order"},
    {"named-barrier",
     "a named barrier has an id from 1 to 7, and all who meet at it name the same count of whole "
     "subgroups of the team",
     "give each meeting its own id, and the same count in every subgroup that comes"},
    {"cluster-barrier-divergent",
     "a cluster barrier needs every thread of every team; these can't come any more",
     "move the barrier out of the branch, or let the others come to it"},
    {"cluster-barrier-mismatch",
     "threads of one team met at two different cluster barriers, which the hardware pairs silently",
     "let all threads of the team pass the same cluster barriers in the same order"},
    {"cluster-barrier-unequal",
     "the launcher's closing barrier is the same hardware barrier as cluster_barrier(): a team "
     "that "
     "returns early pairs with its peer's inner one and is gone while still mapped (on an H200: "
     "launch failure)",
     "let every team meet the same number of cluster barriers before it returns"},
    {"cluster-barrier-double-arrive",
     "a thread arrived twice without waiting in between; the second arrival belongs to a phase "
     "that "
     "has not begun",
     "pass the first token to cluster_wait() before the next arrival"},
    {"arrive-token-dropped",
     "an arrival without its wait leaves the thread a phase behind its cluster",
     "pass the token to member.cluster_wait(std::move(token))"},
    {"arrive-token-spent",
     "a wait without an arrival of its own waits for a phase that this thread is not part of",
     "make one cluster_arrive() for every cluster_wait()"},
    {"subgroup-divergent",
     "the lanes of a tile met at different operations; on hardware the values of the lanes that "
     "are "
     "elsewhere are undefined",
     "call subgroup operations where all lanes of the tile are converged"},
    {"shuffle-source",
     "the lane that the value should come from does not exist: the team's size is no multiple of "
     "the tile's",
     "use a team size that is a multiple of the tile, or team_reduce() and kin, which know"},
    {"peer-rank", "peer() maps the teams of one's own cluster only",
     "pass a rank from 0 to cluster_size() - 1"},
    {"deadlock", "no thread can run: each waits for another of these",
     "look for the barrier that one side passes and the other does not"},
    {"cluster-not-resident",
     "every resident cluster waits, and what they wait for may come from clusters that can't start "
     "until one of them ends",
     "launch at most policy.max_active_clusters(functor) clusters when they wait for each other"},
    {"spin-without-progress", "threads poll memory that nobody who can still run will change",
     "look for the write that should end the poll: is it before a barrier that its writer waits "
     "at?"},
    {"raw-spin",
     "a loop without any call into the library keeps its worker from running anybody else; on a "
     "GPU "
     "the compiler may also read the memory only once",
     "poll with kohort::atomic_load(): the simulator then lets the others run"},
    {"kernel-exception", "an exception left the kernel; on a GPU there are none",
     "catch it inside, or carry the error out in a Buffer"},
    {"kernel-crash", "the kernel did what the processor refuses", "see the address and the place"},
    {"stack-overflow", "the thread's stack is full",
     "make arrays smaller or put them into scratch, or raise KOHORT_SIM_STACK (KiB a thread)"},
    {"transfer-barrier-uninitialised",
     "the 8 bytes hold no barrier: what the hardware makes of them is undefined",
     "let every thread of the cluster call init_barriers() before anything else uses the barrier"},
    {"transfer-barrier-overflow",
     "more arrivals came than the phase counts; the surplus counts for the next phase, which "
     "nobody has begun",
     "init the barrier for as many arrivals as come in a phase: arrive() counts one for each "
     "thread that calls it"},
    {"transfer-barrier-remote",
     "only the barrier's own team waits at it, arrives in the local form, and brings bytes by name",
     "name the barrier as one's own: arrive(barrier, rank) and kin map it to the peer"},
    {"transfer-phase",
     "the same wait passes a second time for one phase: the thread takes old data for new",
     "keep one Waiter, let wait() alone move it on, and wait once for each phase"},
    {"transfer-bytes",
     "the bytes that came are not those that the phase expects: it can never complete",
     "expect what the copies bring: a tile's map.box_bytes(), on each receiver's own barrier"},
    {"transfer-mask", "a multicast goes to teams of the cluster, the issuing one among them",
     "build the mask with ranks_along(), or pass the axis"},
    {"transfer-alignment", "the hardware refuses the address or the size",
     "align the scratch object: alignas(128) for a tile, alignas(1024) for one with a swizzle of "
     "128 B"},
    {"transfer-scratch",
     "copies and products name the scratch of the team that calls them, and where peers are meant "
     "it is cluster scratch",
     "pass one's own scratch, and the peer's rank"},
    {"transfer-in-flight-at-exit",
     "the team's memory is gone while a copy still reads or writes it",
     "wait for the barrier, or call wait_stores_read(), before the team returns"},
    {"warpgroup-divergent",
     "the 128 threads of a warpgroup begin a product together, with the same operands",
     "call it in converged flow, in teams of a multiple of 128 threads"},
    {"race-team-scratch", "two threads touch the same team scratch, and nothing orders them",
     "put a team barrier between the two"},
    {"race-cluster-scratch", "two threads touch the same cluster scratch, and nothing orders them",
     "put a cluster barrier between the two"},
    {"race-global", "two threads touch the same global memory, and nothing orders them",
     "let one thread own the memory, order the two, or use atomics"},
    {"atomic-scope",
     "an atomic operation is atomic only for the threads in its scope, and the other one's thread "
     "is not",
     "widen the scope until it holds both threads"},
    {"peer-not-started",
     "under ManualLifetime nothing tells that the peer has started: on hardware its memory may not "
     "be there yet",
     "pass a cluster barrier before the first access to a peer, or leave ManualLifetime"},
    {"peer-ended",
     "under ManualLifetime a team's memory goes when its last thread returns, and nothing makes it "
     "wait for this access (on an H200: launch failure)",
     "let the owner pass a cluster barrier after the access, or leave ManualLifetime"},
    {"transfer-missing-fence",
     "the copy engine and the matrix unit see what threads wrote to scratch only after a fence for "
     "them; a barrier alone does not do",
     "call member.team_barrier(before_transfer) between the write and the copy or product"},
    {"scratch-out-of-bounds", "the access is beyond the scratch object",
     "make the object larger, or the index smaller"},
    {"buffer-out-of-bounds", "the access is beyond the Buffer",
     "make the Buffer larger, or the index smaller"},
    {"use-after-free", "the Buffer was destroyed before the access",
     "keep the Buffer alive until the launch has ended"},
    {"uninitialised-read", "nobody wrote this memory before it was read",
     "write it first: scratch and Buffers begin with whatever was there"},
    {"misaligned-access", "the address is no multiple of the access's size; a GPU refuses it",
     "align the object, or access it in smaller parts"},
}};

/// From this one on, the entries are those of mode check alone.
constexpr char const* first_of_mode_check = "race-team-scratch";

}  // namespace

CatalogueEntry const& catalogue(std::string_view id) {
  auto const found = std::find_if(entries.begin(), entries.end(),
                                  [&](CatalogueEntry const& entry) { return entry.id == id; });
  if (found == entries.end()) throw std::logic_error("no such finding: " + std::string(id));
  return *found;
}

std::vector<std::string> finding_ids() {
  std::vector<std::string> ids;
  for (CatalogueEntry const& entry : entries) ids.emplace_back(entry.id);
  return ids;
}

bool needs_mode_check(std::string const& id) {
  return &catalogue(id) >= &catalogue(first_of_mode_check);
}

}  // namespace kohort::simulator
