/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How teams of several domains find together (seat.hpp), and how their clusters hand out tasks with
 * stealing (tasks.hpp, by_domain), for every way in which the hardware may deal teams out to domains.
 * WORKERS teams, clusters of SIZE, DOMAINS domains, TASKS tasks. Each task is done by a whole cluster
 * of one domain, once; who leaves last clears the counters.
 *
 * -DNO_WAIT: a team reckons before all have a ticket. -DTICKET_LATE: it is counted before it has one.
 * Each must fail.
 */
#define WORKERS 4
#define SIZE 2
#define DOMAINS 2
#define TASKS 3

byte joined[DOMAINS];
byte head[DOMAINS];
byte all_joined;
byte gone;
byte members[WORKERS * TASKS]; /* of a task: teams that did it */
byte domain_of_task[TASKS];
byte cluster_next[WORKERS];    /* the task that rank 0 found for its cluster */
byte cluster_turn[WORKERS];    /* arrivals at the cluster's barrier */

#define BOUNDARY(before) ((TASKS * (before)) / clusters)

inline take_from(k, begin, end, k_clusters) {
  atomic {
    if
    :: begin + k_clusters + head[k] < end -> task = begin + k_clusters + head[k]; head[k]++
    :: else -> task = TASKS
    fi
  }
}

proctype team(byte d) {
  byte ticket, clusters = 0, before = 0, mine = 0, other, seat, rank, task, in_domain, rounds = 0, c, b;
#ifdef TICKET_LATE
  all_joined++;
  atomic { ticket = joined[d]; joined[d]++ };
#else
  atomic { ticket = joined[d]; joined[d]++ };
  all_joined++;
#endif
#ifndef NO_WAIT
  (all_joined == WORKERS);
#endif
  other = 0;
  do
  :: other < DOMAINS ->
    c = joined[other] / SIZE;
    if :: other < d -> before = before + c :: else fi;
    if :: other == d -> mine = c :: else fi;
    clusters = clusters + c;
    other++
  :: else -> break
  od;
  assert(clusters > 0);
  in_domain = ticket / SIZE;
  rank = ticket % SIZE;
  if
  :: in_domain < mine ->
    seat = before + in_domain;
    task = BOUNDARY(before) + in_domain;
    if :: task >= BOUNDARY(before + mine) -> task = TASKS :: else fi;
    do
    :: task < TASKS ->
      atomic {
        assert(members[task] == 0 || domain_of_task[task] == d);
        members[task]++;
        domain_of_task[task] = d
      };
      rounds++;
      if
      :: rank == 0 ->
        take_from(d, BOUNDARY(before), BOUNDARY(before + mine), mine);
        if
        :: task == TASKS && mine < clusters ->
          /* the other domain's: there are two */
          b = (d == 0 -> mine : 0);
          c = clusters - mine;
          take_from(1 - d, BOUNDARY(b), BOUNDARY(b + c), c)
        :: else
        fi;
        cluster_next[seat] = task
      :: else
      fi;
      cluster_turn[seat]++;
      (cluster_turn[seat] >= rounds * SIZE);
      task = cluster_next[seat];
      /* The model has one word for the next task: who reads it is waited for. */
      cluster_turn[seat]++;
      rounds++;
      (cluster_turn[seat] >= rounds * SIZE)
    :: else -> break
    od
  :: else
  fi;
  atomic {
    gone++;
    if
    :: gone == WORKERS ->
      byte i = 0;
      do :: i < TASKS -> assert(members[i] == SIZE); i++ :: else -> break od;
      i = 0
    :: else
    fi
  }
}

init {
  byte w = 0, d;
  atomic {
    do
    :: w < WORKERS -> select(d : 0 .. DOMAINS - 1); run team(d); w++
    :: else -> break
    od
  }
}
