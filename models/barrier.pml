// SPDX-License-Identifier: Apache-2.0
/* One membarrier for all who wait for one. Edge D45.
 *
 * THREADS - 1 thieves, and an owner, thread 0. Each thief shuts the owner's gate, has a ticket, and returns from settle() when a
 * barrier has ended that began after that. Then it looks at tail. The owner stores tail, and then loads the gate, without a
 * fence. Forbidden: that the owner finds the gate open, and a thief does not see its store.
 *
 * Mutants: NO_FENCE     a ticket is had while the gate's store is still on its way
 *          SAME_NUMBER  a thief is content with a barrier that may have begun before its ticket
 *          EARLY_END    a barrier is said to have ended before it has
 *          NO_BARRIER   it is only counted
 */
#define THREADS 3
#define CELLS 4
#define BUFFER 3
#define TAIL 0
#define GATE 1  /* GATE + thief - 1: each has a bit of its own, which nobody opens again */
#include "tso.pml"

byte begun, ended;  /* under the lock; `ended` also read without, `begun` too, by who has drained */
bool running;
bool open_seen[THREADS], missed[THREADS];
byte over;

active proctype owner()
{
  byte me = 0, a, b;

  store(TAIL, 1);
  load(a, GATE);
  load(b, GATE + 1);
  d_step { open_seen[1] = !a; open_seen[2] = !b; over++ }
}

proctype thief(byte me)
{
  byte ticket, tail;

  store(GATE + me - 1, 1);
#ifdef NO_FENCE
  ticket = begun;
#else
  atomic { drained(me) -> ticket = begun };
#endif
#ifdef SAME_NUMBER
  if
  :: ended > 0 && ended >= ticket -> goto settled
  :: true
  fi;
#else
  if
  :: ended > ticket -> goto settled
  :: true
  fi;
#endif
  atomic { !running -> running = true };
#ifdef SAME_NUMBER
  if
  :: begun > 0 && begun >= ticket -> running = false; goto settled
#else
  if
  :: begun > ticket -> running = false; goto settled
#endif
  :: else
  fi;
  begun++;
#ifdef EARLY_END
  ended = begun;
#endif
#ifndef NO_BARRIER
  membarrier();
#endif
#ifndef EARLY_END
  ended = begun;
#endif
  running = false;
settled:
  load(tail, TAIL);
  d_step { missed[me] = !tail; over++ }
}

active proctype at_rest()
{
  bool both_missed;

  over == THREADS ->
  both_missed = (open_seen[1] && missed[1]) || (open_seen[2] && missed[2]);
  assert(!both_missed)
}

init
{
  atomic {
    run thief(1);
    run thief(2)
  }
}
