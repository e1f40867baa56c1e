// SPDX-License-Identifier: Apache-2.0
/* An event that a strand waits for, and that another thread brings. Edge D74 (what was done before the event came; the
 * strand as it waits).
 *
 * The strand looks, announces itself in the event's word, and waits: it sees that the event has come, or it suspends itself and
 * is resumed. When it goes on, the event and the record of the wait end. The strand goes on once, with what was done before the
 * event came in sight. Whoever brings the event touches neither of both after their end.
 *
 * Mutants: SET_BY_STORE       the event is set by a load and a store
 *          ANNOUNCE_BY_STORE  a strand that has found that the event has not come announces itself by a store
 *          DATA_LATE          the event comes before what it stands for
 *          TOUCH_EVENT        whoever brings it touches the event when it has come
 *          TOUCH_WAIT         and the record of a wait of a strand that is not suspended
 *          SUSPEND_LATE       the strand says that it waits before its context is saved
 */
#define THREADS 2
#define BUFFER 3
#define EVENT 0    /* its word */
#define BALANCE 1  /* of the wait: 1: none has come, 0: it has come, 2: a strand that is suspended waits */
#define DATA 2
#define CELLS 3

#define NONE 0
#define WAITS 1
#define HAS_COME 2

#include "tso.pml"

bool event_is_there = true;
bool wait_is_there;
bool saved;          /* the strand's context */
byte resumed;        /* times */
bool ended;

inline end_of_wait()
{
  load(seen, DATA);
  assert(seen == 1);
  wait_is_there = false;
  event_is_there = false;
  ended = true
}

proctype strand(byte me)
{
  byte seen;

  load(seen, EVENT);
  if
  :: seen == HAS_COME -> goto come
  :: else
  fi;
  store(BALANCE, 1);
  wait_is_there = true;
#ifdef ANNOUNCE_BY_STORE
  store(EVENT, WAITS);
#else
  atomic {
    drained(me) -> seen = mem[EVENT];
    if
    :: seen == NONE -> mem[EVENT] = WAITS
    :: else
    fi
  };
  if
  :: seen == HAS_COME -> goto come
  :: else
  fi;
#endif
  /* For a while it looks whether the event has come. */
  load(seen, BALANCE);
  if
  :: seen == 0 -> goto come
  :: true
  fi;
#ifndef SUSPEND_LATE
  saved = true;
#endif
  atomic {
    drained(me) -> seen = mem[BALANCE];
    if
    :: seen == 1 -> mem[BALANCE] = 2
    :: else
    fi
  };
  if
  :: seen == 0
  :: else ->
#ifdef SUSPEND_LATE
     saved = true;
#endif
     resumed > 0
  fi;
come:
  end_of_wait()
}

proctype bringer(byte me)
{
  byte seen, balance;

#ifndef DATA_LATE
  store(DATA, 1);
#endif
  assert(event_is_there);
#ifdef SET_BY_STORE
  load(seen, EVENT);
  assert(event_is_there);
  store(EVENT, HAS_COME);
#else
  atomic { drained(me) -> seen = mem[EVENT]; mem[EVENT] = HAS_COME };
#endif
#ifdef DATA_LATE
  store(DATA, 1);
#endif
#ifdef TOUCH_EVENT
  assert(event_is_there);
#endif
  if
  :: seen == WAITS ->
     assert(wait_is_there);
     atomic { drained(me) -> balance = mem[BALANCE]; mem[BALANCE] = balance - 1 };
#ifdef TOUCH_WAIT
     assert(wait_is_there);
#endif
     if
     :: balance == 2 ->
        assert(wait_is_there);
        assert(saved);
        assert(resumed == 0);
        resumed++
     :: else
     fi
  :: else
  fi
}

active proctype at_rest()
{
  timeout ->
  assert(ended)
}

init
{
  atomic {
    run strand(0);
    run bringer(1)
  }
}
