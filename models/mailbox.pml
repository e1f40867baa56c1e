// SPDX-License-Identifier: Apache-2.0
/* Posted frames: on their way from the strand that hands them over to an idle worker's box. Edge D19.
 *
 * BOXES workers search, sleep, work, and go home if they are called. STRANDS strands, each on a worker of its
 * own, hand a frame over, take it back if nobody has it yet, and wait for its end if somebody has; FRAMES
 * times in all. Each frame is run once, by its strand or a worker, who finds written what it reads; what
 * nobody has taken can be taken back; a worker goes home only if it is called; a frame that has ended is not
 * touched.
 *
 * At rest all that nobody runs is in a list, and nobody sleeps if there is such. Whoever is busy may stay
 * busy forever.
 *
 *   PIECES  the frames are pieces of loops: each ends when all parts of its loop have finished, of which the
 *           strand that cut it has one
 * Mutants: RETURN_ON_WITHDRAWN     a worker that saw a posted frame ends its search, though that was withdrawn
 *          DROP_POSTED_AT_SLEEP    a worker that closes its box to sleep forgets what is in it
 *          DROP_POSTED             so does one that has other work, or leaves
 *          SLEEP_OPEN, WORK_OPEN   it does not close it
 *          OPEN_UNSEEN             a worker that saw a posted frame opens its box without closing it first
 *          POST_IN_TWO, CLOSE_IN_TWO, WITHDRAW_IN_TWO  a load and a store
 *          POST_FIRST              a frame is posted before what its branch reads has been written
 *          NO_BOX                  it does not say where it was posted
 *          BOX_DECIDES             a posted frame that is not in its box is not looked for in a list
 *          HOLDER_ONCE             in whose list it is, is not asked again under that list's lock
 *          BOX_AFTER_LIST          a worker that has listed a posted frame then notes in it that it is in no box
 *   with BOXES=2 STRANDS=1: NO_ANNOUNCE (nobody is told of a posted frame that was listed)
 *   with PIECES: PART_FIRST (the strand finishes its own part of the loop before it takes back the piece)
 */
#ifndef BOXES
#define BOXES 1
#endif
#ifndef STRANDS
#define STRANDS 2
#endif
#ifndef FRAMES
#define FRAMES 3
#endif
#define THREADS (BOXES + STRANDS)
#define BUFFER 3  /* what a branch reads, a box that is opened, and what a mutant posts */
#define OTHER_CELLS STRANDS
#define READ OTHER  /* READ + frame: what its branch reads */

#include "posted.pml"

byte written[STRANDS] = 1;  /* what it must find: 1 and 2 in turns */
byte frames;                /* handed over so far */
#ifdef PIECES
byte parts[STRANDS];        /* of its loop, unfinished */

inline finish_part(f)
{
  parts[f]--;
  if
  :: parts[f] == 0 -> frame[f] = ended
  :: else
  fi
}

#define is_over(f) (frame[f] == ended)
#else
#define is_over(f) (frame[f] == finished)
#endif

inline begin_branch(f)
{
  d_step { assert(frame[f] == latent); frame[f] = running };
  load(seen, READ + f);
  d_step { assert(seen == written[f]); seen = 0 }
}

/* How the waiter is told is join.pml. */
inline end_branch(f)
{
  atomic {
    drained(me) -> touch(f); frame[f] = finished
#ifdef PIECES
    ; finish_part(f)
#endif
  }
}

proctype idle(byte me)
{
  byte seen, found = NONE, mail = NONE;
  bool called, leaves;

  if
  :: called = true  /* at some moment */
  :: true
  fi;
search:
  next_frame();
  if
  :: found == NONE
  :: else ->
     begin_branch(found);
     if
     :: true
     :: true ->
end_busy_for_ever:
        false
     fi;
     end_branch(found);
     found = NONE;
     goto search
  fi
}

proctype strand(byte me; byte own)
{
  byte seen, w, f = NONE;
  bool posted, mine;

  do
  :: atomic {
       frames < FRAMES -> frames++; frame[own] = latent; written[own] = 3 - written[own]
#ifdef PIECES
       ; parts[own] = 2
#endif
     };
#ifndef POST_FIRST
     store(READ + own, written[own]);
#endif
     if
     :: announce()  /* a sleeper wanted to know of the push */
     :: true
     fi;
     pass_on(own);
     if
     :: true
     :: true ->
end_busy_for_ever:
        false
     fi;
#ifdef PART_FIRST
     atomic { drained(me) -> finish_part(own) };
#endif
     reclaim(own);
     if
     :: mine -> mine = false; begin_branch(own); end_branch(own)
     :: else
     fi;
#ifdef PIECES
#ifndef PART_FIRST
     atomic { drained(me) -> finish_part(own) };
#endif
#endif
end_waits:  /* and its worker is idle */
     do
     :: atomic { is_over(own) -> frame[own] = ended; box[own] = NONE } -> break
     :: atomic { under_lock && any_listed -> claim_listed(f); begin_branch(f); end_branch(f); f = NONE }
     od
  :: else -> break
  od
}

active proctype at_rest()
{
  byte f;
  bool is_lost;

  timeout ->
  for (f : 0 .. STRANDS - 1) {
    is_lost = lost(f);
    assert(!is_lost)
  }
}

init
{
  byte i;

  atomic {
    for (i : 0 .. BOXES - 1) {
      mem[BOX + i] = CLOSED;
      run idle(i)
    }
    for (i : 0 .. STRANDS - 1) {
      run strand(BOXES + i, i)
    }
  }
}
