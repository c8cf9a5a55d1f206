/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The barrier under ManualLifetime (EmulatedBarrier::wait_for_stayers, EmulatedCluster::turn_over):
 * in each task a team passes as many barriers as it likes to and leaves; the others' barriers go on
 * without it; the teams meet before the next task, which uses the other of two words.
 *
 * `stays` is one 64-bit word: arrivals and leavers change in one step. -DTWO_STEPS, -DNO_TURNOVER,
 * -DNO_CLEARING and -DONE_WORD each break the protocol: each must fail.
 */
#define TEAMS 3
#define ROUNDS 2
#define TASKS 3

byte arrivals[2];
byte leavers[2];
byte turnovers;
byte passed[TEAMS];   /* barriers that the team has passed in its task */
byte came[TEAMS];     /* and come to */
bool stays[TEAMS];    /* in its task */
byte at_task[TEAMS];

#ifdef ONE_WORD
#define WORD 0
#else
#define WORD turn
#endif

/* Nobody passes a barrier that a team which stays in the same task has not come to. */
inline check(t) {
  d_step {
    byte o = 0;
    do
    :: o < TEAMS -> assert(at_task[o] != at_task[t] || !stays[o] || came[o] >= came[t]); o++
    :: else -> break
    od;
    o = 0
  }
}

proctype team(byte t) {
  byte task = 0, turn = 0, phase, wanted, turnover = 0;
  do
  :: task < TASKS ->
    select(wanted : 0 .. ROUNDS);
    phase = 0;
    do
    :: phase < wanted ->
      phase++;
      atomic { came[t]++; arrivals[WORD]++ };
      atomic {
        (arrivals[WORD] + leavers[WORD] * phase >= phase * TEAMS);
        check(t)
      }
    :: else -> break
    od;
    /* turn_over() */
#ifdef TWO_STEPS
    atomic { stays[t] = false; leavers[WORD]++ };
    arrivals[WORD] = arrivals[WORD] - phase;
#else
    atomic { stays[t] = false; leavers[WORD]++; arrivals[WORD] = arrivals[WORD] - phase };
#endif
    if
    :: task + 1 < TASKS ->
#ifndef NO_CLEARING
      if :: t == 0 -> atomic { arrivals[1 - turn] = 0; leavers[1 - turn] = 0 } :: else fi;
#endif
      turnovers++;
      turnover++;
#ifndef NO_TURNOVER
      (turnovers >= turnover * TEAMS);
#endif
      atomic { at_task[t]++; came[t] = 0; stays[t] = true }
    :: else
    fi;
    turn = 1 - turn;
    task++
  :: else -> break
  od
}

init {
  atomic {
    byte t = 0;
    do :: t < TEAMS -> stays[t] = true; run team(t); t++ :: else -> break od
  }
}
