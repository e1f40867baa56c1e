/* No lost wake-up. Edges D5, D6, D8, D9.
 *
 * One busy worker and two that search. Whoever is busy may push and insert, and may stay busy for ever: then work
 * that waits must not meet a sleeper. Checked when all is at rest.
 *
 *   SHUTDOWN  and the runtime ends: nobody sleeps through it
 *   FENCE     see idle.pml
 * Mutants: NO_BARRIER, LIMIT_BEFORE_TAIL, NO_RECHECK, CLEAR_LATE, FLAG_OUTSIDE_LOCK, ATTACH_OPEN,
 *          NO_HAND_ON; with FENCE: NO_PUSH_FENCE
 */
#define WORKERS 3
#ifndef PUSHES
#define PUSHES 2
#endif
#ifndef INSERTS
#define INSERTS 1
#endif
#define OTHERS 0
bool ending;
#ifdef SHUTDOWN
#define OTHER_SOURCE(me) ending
#endif

#include "idle.pml"

proctype worker(byte me; bool busy)
{
  byte w, seen, chosen = NOBODY;
  bool woken, more, found;

  if
  :: busy -> attach(); goto work
  :: else
  fi;

search:
#ifdef SHUTDOWN
  if
  :: ending -> goto done
  :: !ending
  fi;
#endif
  take_something(found);
  if
  :: found -> found = false
  :: else -> sleep(); goto search
  fi;
#ifndef NO_HAND_ON
  hand_on();
#endif

work:
  do
  :: atomic { pushes < PUSHES -> pushes++ }; push()
  :: atomic { inserts < INSERTS -> inserts++ }; insert()
  :: atomic { drained(me) && visible(me) -> head[me]++ }       /* its own deque first */
  :: drained(me) && !visible(me) -> goto search
  :: break
  od;
end_busy_for_ever:
  false;
done:
  skip
}

#ifdef SHUTDOWN
/* An atomic store of the flag, then everyone in the set; who enters later sees the flag in its recheck. */
active proctype shutdown()
{
  byte w;

  ending = true;
  for (w : 0 .. WORKERS - 1) {
    atomic {
      if
      :: asleep[w] -> asleep[w] = false; sleepers--; token[w] = call
      :: else
      fi
    }
  }
}
#endif

active proctype at_rest()
{
  timeout ->
  assert(!(work_waits && sleepers > 0));
  assert(ending || (!waking && holder == NOBODY));
  assert(!(ending && sleepers > 0))
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
