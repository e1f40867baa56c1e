// SPDX-License-Identifier: Apache-2.0
/* A stage of a pipeline that does one item at a time: items come, wait, and are handed on. Edges D70, D71 (what the stage
 * did, and the item that waits, before the stage does that item).
 *
 * A worker takes an item from the source, or one that is on offer in the stage. An item that cannot go on waits, and whoever
 * leaves the stage puts it on offer. Items leave the pipeline as they leave the stage. Each item is done once, one at a time,
 * with all that was done before in sight, and in its turn; at rest all have been done.
 *
 *   ANY     in the order in which they come, not in that of the source
 * Mutants: LOOK_THEN_PUT   an item that does not find its turn is put into its place by a store
 *          TURN_BY_STORE   a turn that does not find its item is put there by a store
 *          EMPTY_LATE      the place is emptied when the item has left the stage
 *          MANY            more items are alive than there are places
 *          IDLE_BY_STORE   a stage that looks busy, with no list, becomes idle by a store
 *          TAKE_IN_TWO     the list is taken by a load and a store
 *          LINK_LATE       an item is linked to those before it when it is in the list
 */
#ifndef THREADS
#define THREADS 3
#endif
#ifndef ITEMS
#define ITEMS 4
#endif
#define BUFFER 6
#define PLACES 2
#ifdef ANY
#define ALIVE 3
#elif defined(MANY)
#define ALIVE 3
#else
#define ALIVE PLACES
#endif

#define PLACE(n) ((n) % PLACES)
#define WORK 2          /* how many items the stage has done */
#define LATEST 3
#define EARLIER 4
#define VALUE 4         /* plus the item, from 1 on */
#define NEXT (VALUE + ITEMS)
#define CELLS (NEXT + ITEMS + 1)

#define TURN 255
#define IDLE 0
#define BUSY 255

#include "tso.pml"

bool source = true;
byte made, alive, inside;
bool offered[ITEMS + 1];
bool done[ITEMS + 1];

inline enter_in_order(n)
{
  load(seen, PLACE(n));
  if
  :: seen == TURN
  :: else ->
#ifdef LOOK_THEN_PUT
     store(PLACE(n), n)
#else
     atomic { drained(me) -> seen = mem[PLACE(n)]; mem[PLACE(n)] = n }
#endif
  fi;
  entered = (seen == TURN);
#ifndef EMPTY_LATE
  if
  :: entered -> store(PLACE(n), 0)
  :: else
  fi
#endif
}

inline leave_in_order(n)
{
#ifdef TURN_BY_STORE
  load(seen, PLACE(n + 1));
  if
  :: seen == 0 -> store(PLACE(n + 1), TURN)
  :: else
  fi;
#else
  atomic { drained(me) -> seen = mem[PLACE(n + 1)]; mem[PLACE(n + 1)] = TURN };
#endif
#ifdef EMPTY_LATE
  store(PLACE(n), 0);
#else
  if
  :: seen != 0 -> store(PLACE(n + 1), 0)
  :: else
  fi;
#endif
  follower = seen
}

inline enter_as_it_comes(n)
{
  load(seen, LATEST);
  before = seen + 1;  /* to begin the loop */
  do
  :: before != seen ->
     before = seen;
#ifndef LINK_LATE
     if
     :: before == IDLE || before == BUSY -> store(NEXT + n, 0)
     :: else -> store(NEXT + n, before)
     fi;
#endif
     atomic {
       drained(me) -> seen = mem[LATEST];
       if
       :: seen == before ->
          if
          :: before == IDLE -> mem[LATEST] = BUSY
          :: else -> mem[LATEST] = n
          fi
       :: else
       fi
     }
  :: else -> break
  od;
#ifdef LINK_LATE
  if
  :: before == IDLE || before == BUSY -> store(NEXT + n, 0)
  :: else -> store(NEXT + n, before)
  fi;
#endif
  entered = (before == IDLE);
  before = 0
}

inline leave_as_it_comes()
{
  load(follower, EARLIER);
  if
  :: follower != 0
  :: else ->
#ifdef IDLE_BY_STORE
     load(seen, LATEST);
     if
     :: seen == BUSY -> store(LATEST, IDLE)
     :: else
     fi;
#else
     atomic {
       drained(me) -> seen = mem[LATEST];
       if
       :: seen == BUSY -> mem[LATEST] = IDLE
       :: else
       fi
     };
#endif
     if
     :: seen == BUSY
     :: else ->
#ifdef TAKE_IN_TWO
        load(seen, LATEST);
        store(LATEST, BUSY);
#else
        atomic { drained(me) -> seen = mem[LATEST]; mem[LATEST] = BUSY };
#endif
        do
        :: seen != 0 ->
           load(before, NEXT + seen);
           store(NEXT + seen, follower);
           follower = seen;
           seen = before
        :: else -> break
        od;
        before = 0
     fi
  fi;
  if
  :: follower != 0 ->
     load(before, NEXT + follower);
     store(EARLIER, before);
     before = 0
  :: else
  fi
}

inline in_stage(n)
{
  d_step { assert(inside == 0 && !done[n]); inside = n };
  load(seen, VALUE + n);
  assert(seen == 1);
  load(seen, WORK);
#ifdef ANY
  store(WORK, seen + 1);
#else
  assert(seen == n - 1);
  store(WORK, n);
#endif
  d_step { inside = 0; done[n] = true };
#ifdef ANY
  leave_as_it_comes();
#else
  leave_in_order(n);
#endif
  if
  :: follower != 0 -> atomic { drained(me) -> offered[follower] = true }
  :: else
  fi;
  atomic { drained(me) -> alive-- }
}

proctype worker(byte me)
{
  byte n, seen, before, follower;
  bool entered;

end_idle:
  do
  :: atomic {
       source && alive < ALIVE && made < ITEMS ->
       source = false;
       made++;
       alive++;
       n = made
     };
     store(VALUE + n, 1);
     atomic { drained(me) -> source = true };
#ifdef ANY
     enter_as_it_comes(n);
#else
     enter_in_order(n);
#endif
     if
     :: entered -> in_stage(n)
     :: else
     fi;
     atomic { n = 0; seen = 0; follower = 0; entered = false }
  :: atomic {
       if
       :: offered[1] -> n = 1
       :: offered[2] -> n = 2
       :: offered[3] -> n = 3
#if ITEMS > 3
       :: offered[4] -> n = 4
#endif
       fi;
       offered[n] = false
     };
     in_stage(n);
     atomic { n = 0; seen = 0; follower = 0; entered = false }
  od
}

active proctype at_rest()
{
  byte n;

  timeout ->
  for (n : 1 .. ITEMS) {
    assert(done[n])
  }
#ifdef ANY
  assert(mem[WORK] == ITEMS)
#endif
}

init
{
  byte i;

  atomic {
#ifndef ANY
    mem[PLACE(1)] = TURN;
#endif
    for (i : 0 .. THREADS - 1) {
      run worker(i)
    }
  }
}
