/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * HipCopyEngine (backend/hip/copy_engine.hpp): a pipeline's producer asks for copies through a few
 * places in LDS, and the wavefront beside it makes them. Several pipelines run one after the other.
 *
 * -DNO_OPEN_WAIT, -DNO_PLACE_WAIT, -DNO_END_WAIT and -DDONE_EARLY each break the protocol: each must fail.
 */
#define PLACES 2
#define COPIES 5
#define RUNS 3

#define NOBODY 0
#define ASKS 1
#define ENDING 2

byte producer = NOBODY;
byte posted;
byte copied;         /* HipCopyEngine calls it done */
byte places[PLACES];
byte brought;        /* bytes of all runs, a copy one each: what the stages' barriers count */

active proctype asker() {
  byte run_, i;
  do
  :: run_ < RUNS ->
#ifndef NO_OPEN_WAIT
    (producer == NOBODY);
#endif
    posted = 0;
    copied = 0;
    producer = ASKS;
    i = 0;
    do
    :: i < COPIES ->
#ifndef NO_PLACE_WAIT
      (posted - copied < PLACES);
#endif
      places[i % PLACES] = run_ * COPIES + i + 1;
      posted++;
      i++
    :: else -> break
    od;
    (brought >= run_ * COPIES + COPIES - 1);  /* drain(): one copy was for no stage */
#ifndef NO_END_WAIT
    (copied == posted);
#endif
    producer = ENDING;
    run_++
  :: else -> break
  od;
  (brought == RUNS * COPIES)  /* none is lost */
}

active proctype copier() {
  byte run_, mine, seen, i;
  do
  :: run_ < RUNS ->
    mine = 0;
    (producer != NOBODY);
    do
    :: seen = posted;
      if
      :: seen == mine ->
        if
        :: producer == ENDING -> break
        :: posted != mine || producer == ENDING -> skip  /* pause() */
        fi
      :: else ->
#ifdef DONE_EARLY
        copied = seen;
#endif
        i = mine;
        do
        :: i < seen ->
          assert(places[i % PLACES] == run_ * COPIES + i + 1);  /* nobody wrote over it */
          i++
        :: else -> break
        od;
        brought = brought + (seen - mine);
        mine = seen;
#ifndef DONE_EARLY
        copied = mine
#endif
      fi
    od;
    producer = NOBODY;
    run_++
  :: else -> break
  od;

}

/* Both sides come to their end: spin reports a process that is stuck elsewhere. */
