// SPDX-License-Identifier: Apache-2.0
/* No lost wake-up. Edges D5, D8, D9.
 *
 * One worker that is busy and two that search. Whoever is busy may push and insert, return to the search once its own
 * deque is empty, or stay busy forever. So when all is at rest, no work may wait while a worker sleeps, and no wake
 * may be left in flight.
 *
 *   SHUTDOWN  the runtime ends at any moment: nobody sleeps through it
 *   FENCE     see idle.pml
 *   WATCH     a worker whose wake came in vain may nap and look for itself
 * Mutants: NO_BARRIER, LIMIT_BEFORE_TAIL, NO_RECHECK;
 *          LAND_LATE          the woken worker arms and looks first, and lands its wake afterwards
 *          FLAG_OUTSIDE_LOCK  `waking` is exchanged first, the set looked at under the lock afterwards
 *          LEAVE_BARE         a sleeper that has seen work just leaves the set
 *          NO_WAKE_MORE       the woken worker works without arming again
 *          ATTACH_OPEN        a worker attaches with its gate open
 *          NO_LAST_LOOK       nobody arms again where the woken workers saw no work
 *          WATCHED_OUTSIDE_LOCK  with WATCH: a push looks whether somebody watches before it has the lock
 *          NO_SECOND_LOOK     with FENCE
 */
#ifdef SHUTDOWN  /* it can happen at any moment, so a smaller rest has to do */
bool leave[3];
#define OTHER_SOURCE(me) leave[me]
#define PUSHES 1
#endif
#ifndef PUSHES
#define PUSHES 2
#endif
#ifndef INSERTS
#define INSERTS 0
#endif

#include "idle.pml"

byte inserts;

proctype worker(byte me; bool busy)
{
  byte w, seen, chosen = NOBODY;
  bool woken, more;

  if
  :: busy -> attach(); goto work
  :: else
  fi;

search:
#ifdef SHUTDOWN
  if
  :: leave[me] -> goto over
  :: !leave[me]
  fi;
#endif
  take_something();
  if
  :: seen -> seen = 0
  :: else ->
#ifdef WATCH
     if
     :: watch(); if :: woken -> goto search :: true -> skip fi
     :: true
     fi;
#endif
     sleep(); goto search
  fi;
#ifndef NO_WAKE_MORE
  wake_more();
#endif

work:
  do
  :: atomic { pushes < PUSHES -> pushes++ }; push()
#if INSERTS
  :: atomic { inserts < INSERTS -> inserts++ }; insert()
#endif
  :: atomic { under_lock && visible(me) -> head[me]++ }
  :: under_lock && !visible(me) -> goto search
  :: break
  od;
end_busy_for_ever:
  false;
#ifdef SHUTDOWN
over:
  skip
#endif
}

#ifdef SHUTDOWN
active proctype shutdown()
{
  byte w;

  for (w : 0 .. 2) {
    leave[w] = true;
    token[w] = true
  }
}
#endif

active proctype at_rest()
{
  bool lost_wake;

  timeout ->
#ifdef SHUTDOWN
  assert(sleepers == 0)
#else
  lost_wake = work_waits && sleepers > 0;
  assert(!lost_wake);
  assert(at_rest_all)
#endif
}

init
{
  atomic {
    attached[1] = true;
    attached[2] = true;
    run worker(0, true);
    run worker(1, false);
    run worker(2, false)
  }
}
