// SPDX-License-Identifier: Apache-2.0
/* A strand that waits looks for work itself before it is suspended; and what becomes of the frame it claims.
 *
 * STRANDS strands on three workers, of which worker 0 may be called home. Each strand passes a frame on,
 * takes it back if nobody has it yet, and waits for its end if somebody has; ROUNDS times. Whoever ends a
 * branch whose strand is parked goes on with that strand. What mailbox.pml asks for holds with strands that
 * change workers, too.
 *
 * At rest no strand waits whose branch has ended, all that nobody runs is in a list, and nobody sleeps if
 * there is such. Whoever is busy, with a branch or a strand, may stay busy forever.
 *
 * Mutants: DROP_FIRST       what a strand has claimed stays with the worker when the strand goes on at once
 *          FIRST_FIRST      it is run before the strand goes on
 *          DONE_AFTER_LOOK  a strand that has claimed something goes on without having been suspended
 *          LEAVE_FIRST      a worker that is called home leaves with it
 *          FIRST_UNTOLD     it is listed, and nobody is told
 *          HOLDER_NULL      a strand that takes its frame back asks, under the lock of the list where it was,
 *                           only whether it is in any
 */
#ifndef STRANDS
#define STRANDS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define BOXES 3
#define THREADS BOXES
#define BUFFER 2

#include "posted.pml"

byte rounds[STRANDS];
bool parked[STRANDS];  /* the strand has declared that it waits, and is to be resumed */
bool waits[STRANDS];   /* ghost: it is parked, or its worker knows that it need not be */

inline may_stay_busy()
{
  if
  :: true
  :: true -> goto end_busy_for_ever
  fi
}

proctype worker(byte me; byte strand)
{
  byte seen, w, found = NONE, mail = NONE, first = NONE, ready = NONE;
  bool posted, mine, called, leaves;

  if
  :: me == 0 -> called = true  /* at some moment */
  :: true
  fi;
  if
  :: strand != NONE -> goto go_on
  :: else
  fi;

loop:
  if
  :: ready == NONE
#ifdef FIRST_FIRST
  :: ready != NONE && first != NONE
  :: ready != NONE && first == NONE ->
#else
  :: else ->
#endif
#ifndef DROP_FIRST
     if
     :: first == NONE
     :: else ->
        list(first);
        first = NONE;
#ifndef FIRST_UNTOLD
        announce()
#endif
     fi;
#endif
     strand = ready;
     ready = NONE;
     goto waited
  fi;
  if
#ifdef LEAVE_FIRST
  :: called -> goto home
#endif
  :: first != NONE -> found = first; first = NONE
  :: first == NONE ->
     next_frame();
     if
     :: found == NONE -> goto home
     :: else
     fi
  fi;

  atomic { assert(frame[found] == latent); frame[found] = running };
  may_stay_busy();
  atomic {
    drained(me) -> touch(found); frame[found] = finished;
    if
    :: parked[found] -> parked[found] = false; strand = found
    :: else
    fi;
    found = NONE
  };
  if
  :: strand == NONE -> goto loop
  :: else
  fi;

waited:
  atomic {
    assert(frame[strand] == finished);
    frame[strand] = ended;
    box[strand] = NONE;
    waits[strand] = false
  };

go_on:
  may_stay_busy();
  if
  :: rounds[strand] == ROUNDS -> strand = NONE; goto loop
  :: else
  fi;
  atomic { rounds[strand]++; frame[strand] = latent };
  pass_on(strand);
  may_stay_busy();
  reclaim(strand);
  if
  :: mine ->
     atomic { mine = false; assert(frame[strand] == latent); frame[strand] = ended; box[strand] = NONE };
     goto go_on
  :: else
  fi;

  /* It spins. */
  if
  :: frame[strand] == finished -> goto waited
  :: atomic { under_lock && first == NONE && any_listed -> claim_listed(first) }
  :: true
  fi;
#ifdef DONE_AFTER_LOOK
  if
  :: frame[strand] == finished -> goto waited
  :: else
  fi;
#endif
  /* It is suspended. */
  atomic {
    drained(me) -> waits[strand] = true;
    if
    :: frame[strand] == finished -> ready = strand
    :: else -> parked[strand] = true
    fi;
    strand = NONE
  };
  goto loop;

end_busy_for_ever:
  false;

home:
  skip
}

active proctype at_rest()
{
  byte s;
  bool is_lost, held_up;

  timeout ->
  for (s : 0 .. STRANDS - 1) {
    is_lost = lost(s);
    assert(!is_lost);
    held_up = (frame[s] == finished && waits[s]);
    assert(!held_up)
  }
}

init
{
  byte i;

  atomic {
    for (i : 0 .. BOXES - 1) {
      mem[BOX + i] = CLOSED;
      run worker(i, (i < STRANDS -> i : NONE))
    }
  }
}
