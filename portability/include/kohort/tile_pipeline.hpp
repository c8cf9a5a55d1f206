// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/transfers.hpp>

#include <utility>

namespace kohort {

/// The barriers of a TilePipeline: a member of the policy's ClusterScratch object.
template <int Stages>
struct PipelineBarriers {
  static_assert(Stages >= 1 && Stages <= 32, "a pipeline has 1 to 32 stages");
  TransferBarrier full[Stages];
  TransferBarrier empty[Stages];
};

/// Which teams of the cluster a team's tiles go to, and come from: itself alone, or those along the
/// cluster's axes x and y (tile_load_multicast by ClusterAxis). Teams along z share no tiles.
enum class PipelineShape { team, axes };

/// Stages of scratch that one warpgroup of each team fills by transfers, and its other warpgroups
/// empty. A stage is filled again when every team that a fill reaches has emptied it.
///
/// Tiles that teams share are brought by maps that are split among them, so that each team brings a
/// part of what each of its peers waits for. With one issuer for all, a fast team could hand a
/// stage back twice before a slow one did once, and the two would count as one of each.
///
/// The kernel keeps the stages' tiles in cluster scratch, in arrays of `Stages`; the pipeline says
/// which of them is meant.
template <int Stages, PipelineShape Shape = PipelineShape::axes>
class TilePipeline {
 public:
  using barriers_type = PipelineBarriers<Stages>;
  static constexpr int warpgroup = 128;

  /// Readies the barriers: called by every thread of the cluster, in converged flow, of teams of
  /// 256 threads or more, a multiple of 128.
  template <class Member>
  KOHORT_FUNCTION TilePipeline(Member const& member, barriers_type& barriers,
                               CallSite site = CallSite::current())
      : barriers_(barriers), peers_(peers(member)) {
    bool const is_whole = member.team_size() % warpgroup == 0;
    // Of a part of a warpgroup nobody would know which side it is on: no such barrier can be made.
    int const consumers = is_whole ? member.team_size() / warpgroup - 1 : 0;
    member.init_barriers(
        BarrierGroup(barriers.full, 1, site),
        BarrierGroup(barriers.empty, consumers * Impl::count_of_bits(peers_), site));
  }

  /// What the producer does with a pipeline: a thread of its own in each team.
  template <class Member>
  class Producer {
   public:
    KOHORT_FUNCTION Producer(Member const& member, barriers_type& barriers)
        : member_(member), barriers_(barriers), waiter_(Waiter::initially_free()) {}

    /// Waits for a free stage, announces `bytes` for it, and calls `load(stage, barrier)`, which
    /// begins transfers of that many to this team in all, from here and from peers.
    template <class Load>
    KOHORT_FUNCTION void fill(int bytes, Load const& load) {
      member_.wait(barriers_.empty[stage_], waiter_, stage_);
      member_.arrive_expecting(barriers_.full[stage_], bytes);
      load(stage_, barriers_.full[stage_]);
      stage_ = stage_ + 1 == Stages ? 0 : stage_ + 1;
    }

    /// Waits until every stage that was filled is free again, here and in all teams that it went
    /// to.
    KOHORT_FUNCTION void drain() {
      for (int stage = 0; stage < Stages; ++stage)
        member_.wait(barriers_.empty[stage], waiter_, stage);
    }

   private:
    Member const& member_;
    barriers_type& barriers_;
    Waiter waiter_;
    int stage_ = 0;
  };

  /// What each consuming warpgroup does with it, in all its threads.
  template <class Member>
  class Consumer {
   public:
    KOHORT_FUNCTION Consumer(Member const& member, barriers_type& barriers, std::uint32_t peers)
        : member_(member), barriers_(barriers), peers_(peers) {}

    /// Waits for the next stage. @return its number
    KOHORT_FUNCTION int wait() {
      int const stage = stage_;
      member_.wait(barriers_.full[stage], waiter_, stage);
      stage_ = stage + 1 == Stages ? 0 : stage + 1;
      return stage;
    }

    /// Hands a stage back that the whole warpgroup is done with reading.
    KOHORT_FUNCTION void release(int stage) {
      int const thread = member_.team_rank() % warpgroup;
      if (thread < 32 && (peers_ >> thread & 1U) != 0) {
        if (member_.cluster_size() == 1) {
          member_.arrive(barriers_.empty[stage]);
        } else {
          member_.arrive(barriers_.empty[stage], thread, relaxed);
        }
      }
    }

   private:
    Member const& member_;
    barriers_type& barriers_;
    Waiter waiter_;
    std::uint32_t peers_;
    int stage_ = 0;
  };

  /// Calls `producer(Producer&)` in one thread of the last warpgroup, and `consumer(Consumer&)` in
  /// all threads of the others; then the producer drains. Registers go from it to the consumers
  /// where the team has three warpgroups or two.
  template <class Member, class Produce, class Consume>
  KOHORT_FUNCTION void run(Member const& member, Produce const& produce,
                           Consume const& consume) const {
    int const warpgroups = member.team_size() / warpgroup;
    if (member.team_rank() / warpgroup == warpgroups - 1) {
      member.template shrink_registers<producer_registers>();
      // Elected: of a thread that is one for the device compiler, a transfer is one instruction and
      // no loop over lanes; loads came in 475 cycles a stage of 24 KB before, now in 355 (H200).
      bool const is_first_subgroup = member.team_rank() % warpgroup < member.subgroup_size();
      if (is_first_subgroup && member.is_elected()) {
        member.begin_producing();
        Producer<Member> side(member, barriers_);
        produce(side);
        side.drain();
        member.end_producing();
      }
      if (!is_first_subgroup) member.serve_producer();
      member.subgroup_barrier();
    } else {
      member.template grow_registers<consumer_registers>();
      Consumer<Member> side(member, barriers_, peers_);
      consume(side);
    }
  }

  /// Registers a thread, of two consuming warpgroups and a producer: 65,536 in all, at 168 each
  /// before (CUDA: setmaxnreg).
  static constexpr int producer_registers = 40;
  static constexpr int consumer_registers = 232;

 private:
  template <class Member>
  static KOHORT_FUNCTION std::uint32_t peers(Member const& member) {
    std::uint32_t ranks = std::uint32_t{1} << member.cluster_rank();
    if constexpr (Shape == PipelineShape::axes) {
      ranks |= member.ranks_along(ClusterAxis::x) | member.ranks_along(ClusterAxis::y);
    }
    return ranks;
  }

  barriers_type& barriers_;
  std::uint32_t peers_;
};

}  // namespace kohort
