// SPDX-License-Identifier: Apache-2.0
/* The way home. Edge D7.
 *
 * Thread 0, no worker of the runtime's own, opens REGIONS regions one after the other. Each ends on worker 1, which
 * tells thread 0; that is meanwhile in the scheduler like any worker, and may hold a wake in flight when it leaves.
 * Worker 2 is there to be let down. Every region returns once, and is not touched by worker 1 when it has returned. Worker 1 has
 * strands of that region and of others, which thread 0 does not take.
 *
 *   ALONE     without worker 2; and worker 1 may stay busy for ever with a strand of the region
 * Mutants: CALL_FIRST        home is unparked before the flag is set
 *          KEEP_WAKE         home leaves with the wake in flight
 *          HOME_READ_LATE    worker 1 reads whom to call after setting the flag
 *          NO_REARM          with ALONE: a worker goes on with another region's strand, and leaves its gate open
 *          WAKE_FOR_FRAME    with ALONE: a push that opens the gate wakes the guest only if the frame is still there
 *          GUEST_LANDS       a guest that gives up its wake looks for itself only
 */
#ifndef REGIONS
#define REGIONS 2
#endif
#ifndef PUSHES
#define PUSHES 1
#endif
#define INSERTS 0
#ifndef CHANGES
#define CHANGES 1
#endif
#define HOME 0

#define OTHER_CELLS 1
#define DONE OTHER  /* the home-return flag, part of the region */
#define OTHER_SOURCE(me) (me == HOME && mem[DONE])

bool foreign;         /* the strand on worker 1 is of another region. Under the deque's lock */
#define GUEST(worker) (worker == HOME)
#define FOREIGN(worker) (worker == 1 && foreign)

#include "idle.pml"

byte opened, returned;
byte changes;
bool busy;
bool alive;           /* the region's memory is */
bool home_busy;       /* home has taken work that never ends: that strand, not the region, holds it */

proctype home(byte me)
{
  byte w, seen, chosen = NOBODY;
  bool woken, more;

  do
  :: opened < REGIONS ->
     atomic { drained(me) -> mem[DONE] = 0; alive = true; opened++ };
search:
     load(seen, DONE);
     if
     :: seen -> seen = 0
     :: else ->
        take_something();
        if
        :: seen ->
           seen = 0;
           wake_more();
           if
           :: goto search
           :: home_busy = true; break
           fi
        :: else -> sleep(); goto search
        fi
     fi;
#ifndef KEEP_WAKE
     wake_more();
#else
     woken = false;
#endif
     atomic { alive = false; returned++; assert(returned == opened) }
  :: else -> break
  od
}

proctype ender(byte me)
{
  byte w, seen, chosen = NOBODY, region;
  bool woken, more;

end_no_region:  /* none will come once home is busy forever; else at_rest knows how many there must have been */
  do
  :: atomic { pushes < PUSHES -> pushes++ }; push()
  :: atomic {
       under_lock && changes < CHANGES && !visible(me) ->
       changes++;
       foreign = !foreign;
#ifndef NO_REARM
       if
       :: sleepers > 0 -> arm(me)
       :: else
       fi
#endif
     }
  :: atomic { under_lock && visible(me) -> head[me]++ }
#ifdef ALONE
  :: atomic { opened > region -> busy = true };
end_busy:
     false
#endif
  :: atomic { opened > region -> region++ };
     if
     :: atomic { pushes < PUSHES -> pushes++ }; push()
     :: true
     fi;
#ifdef CALL_FIRST
     unpark(HOME);
#endif
#ifndef HOME_READ_LATE
     assert(alive);
#endif
     store(DONE, 1);
#ifdef HOME_READ_LATE
     assert(alive);
#endif
#ifndef CALL_FIRST
     unpark(HOME)
#endif
  :: region == REGIONS -> break
  od
}

proctype searcher(byte me)
{
  byte w, seen, chosen = NOBODY;
  bool woken, more;

  do
  :: take_something();
     if
     :: seen -> seen = 0; wake_more(); if :: true :: break fi
     :: else -> sleep()
     fi
  od
}

active proctype at_rest()
{
  bool lost_wake;

  timeout ->
  assert(home_busy || busy || returned == REGIONS);
  lost_wake = work_waits && (asleep[2] || asleep[1] || (asleep[HOME] && visible(1) && !foreign));
  assert(!lost_wake);
  assert(at_rest_all)
}

init
{
  atomic {
    attached[0] = true;
    attached[1] = true;
    attached[2] = true;
    limit[1] = OPEN;
    run home(0);
    run ender(1);
#ifndef ALONE
    run searcher(2);
#endif
    if
    :: foreign = true
    :: true
    fi
  }
}
