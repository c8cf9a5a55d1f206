/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The cluster barrier of emulated clusters, in both forms, over tasks, with the launch's end
 * (backend/emulated: cluster_barrier.hpp, cluster.hpp, run.hpp). TEAMS teams run TASKS tasks of none to
 * ROUNDS barriers, and a second launch on the same memory.
 *
 * Memory is modelled by what is known: knows[t].write[o] is how many of team o's writes team t is sure
 * to see. A release hands a copy of the writer's knowledge to the word, an acquire joins what the
 * word holds; a relaxed operation does neither. As an atomic update goes on with the release
 * sequence that it meets, the word's knowledge only grows. Interleavings are spin's; which value a
 * relaxed poll reads does not matter for order, for the acquire load after it reads the same word no
 * earlier.
 *
 * -DNO_RELEASE, -DNO_ACQUIRE, -DNO_CLOSING, -DCLEAR_EARLY, -DONE_NEXT each leave a step out: each must fail.
 */
#ifndef TEAMS
#define TEAMS 3
#endif
#define ROUNDS 2
#define TASKS 2
#define LAUNCHES 2

typedef Known { byte write[TEAMS] };
Known knows[TEAMS];
Known word;       /* of the counter `arrivals` */
byte written[TEAMS]; /* writes so far: one before each barrier */

byte arrivals;    /* ClusterLine::arrivals */
byte gone;        /* ClusterLine::gone */
byte next_task[2];/* ClusterLine::next */
byte rounds_of[TASKS];
byte done[TASKS]; /* teams that did the task, this launch */
byte launched;    /* launches whose teams have all left: the stream's order */
byte reading[TEAMS]; /* a team may still poll the line */

inline join_word_into(t) {
  d_step { byte j = 0; do :: j < TEAMS -> if :: word.write[j] > knows[t].write[j] -> knows[t].write[j] = word.write[j] :: else fi; j++ :: else -> break od; j = 0 }
}
inline release_into_word(t) {
  d_step { byte k = 0; do :: k < TEAMS -> if :: knows[t].write[k] > word.write[k] -> word.write[k] = knows[t].write[k] :: else fi; k++ :: else -> break od; k = 0 }
}

/* One arrival and its wait; `phase` counts the team's. The team's own threads are one here: the team
 * barriers on both sides make them so. */
inline barrier(t) {
  phase++;
  atomic {
#ifndef NO_RELEASE
    release_into_word(t);
#endif
    arrivals++
  };
  (arrivals >= phase * TEAMS);  /* the relaxed poll */
#ifndef NO_ACQUIRE
  atomic { join_word_into(t) }
#endif
}

/* Every peer's write before the barrier is known behind it. */
inline check(t) {
  d_step { byte c = 0; do :: c < TEAMS -> assert(knows[t].write[c] >= expected); c++ :: else -> break od; c = 0 }
}

proctype team(byte t) {
  byte launch = 0, task, phase, turn, round, expected = 0;
  do
  :: launch < LAUNCHES ->
    (launched == launch * TEAMS);  /* kernels of a stream run one after the other */
    task = 0; phase = 0; turn = 0;
    reading[t] = 1;
    do
    :: task < TASKS ->
      round = 0;
      do
      :: round < rounds_of[task] ->
        written[t]++; knows[t].write[t] = written[t];
        expected++;
        barrier(t);
        check(t);
        /* The peers read what was written, and only the next barrier ends that: */
        round++
      :: else -> break
      od;
      done[task]++;
      /* close(): rank 0 asks for the next task, and the barrier publishes it */
#ifdef ONE_NEXT
#define TURN 0
#else
#define TURN turn
#endif
      if :: t == 0 -> next_task[TURN] = task + 1 :: else fi;
#ifndef NO_CLOSING
      barrier(t);
#endif
      task = next_task[TURN];
      turn = 1 - turn
    :: else -> break
    od;
    /* leave() */
#ifdef CLEAR_EARLY
    if :: t == 0 -> arrivals = 0 :: else fi;
#endif
    atomic {
      reading[t] = 0;
      gone++;
      if
      :: gone == TEAMS ->
        byte i = 0;
        do :: i < TEAMS -> assert(reading[i] == 0); i++ :: else -> break od;
        i = 0;
        do :: i < TASKS -> assert(done[i] == TEAMS); done[i] = 0; i++ :: else -> break od;
        i = 0;
        arrivals = 0; gone = 0; next_task[0] = 0; next_task[1] = 0
      :: else
      fi
    };
    launched++;
    launch++
  :: else -> break
  od
}

init {
  atomic {
    byte i = 0, rounds;
    do :: i < TASKS -> select(rounds : 0 .. ROUNDS); rounds_of[i] = rounds; i++ :: else -> break od;
    i = 0;
    do :: i < TEAMS -> run team(i); i++ :: else -> break od
  }
}
