// SPDX-License-Identifier: Apache-2.0
/* Task flows: tasks that one strand submits, that wait for earlier ones, and whose places are used again. Edges D24 (what a
 * task did, before those that wait for it; how many a task waits for, before it is in a list), D60 (what is in a place, before
 * it is run, and before the place has another task).
 *
 * The submitting strand gives each task a place that is free, and lets it wait for any of the tasks before it. Two others run
 * what is ready. Each task runs once, in its own place, after those that it waits for; at rest all have run.
 *
 * Mutants: REUSE_EARLY      a place is left before what was in it is destroyed
 *          EDGE_LATE        an edge is read after its task is counted down
 *          NO_RECHECK       a task goes into a list without a second look whether that has been taken
 *          COUNT_LATE       it is written how many a task waits for when it is in their lists
 *          DONE_DROPPED     a predecessor that finishes between the two looks is not counted
 */
#define THREADS 3
#define BUFFER 8

#ifndef TASKS
#define TASKS 3
#endif
#ifndef PLACES
#define PLACES 2
#endif
#define EDGES 2  /* of a place */

#define SUCCESSORS 0               /* plus the place: 0, an edge plus 1, or FINISHED */
#define WAITING PLACES             /* plus the place */
#define CLOSURE (2 * PLACES)       /* plus the place: the task, or 0 when it is destroyed */
#define NEXT (3 * PLACES)          /* plus the edge */
#define DID (3 * PLACES + EDGES * PLACES - 1)  /* plus the task, from 1 */
#define CELLS (3 * PLACES + EDGES * PLACES + TASKS)
#define FINISHED 255
#define OTHERS 200  /* what is in an edge that nobody may read any more */

#include "tso.pml"

bool todo[PLACES];        /* for whoever comes; what is written before is seen by then */
byte number[PLACES];      /* the submitting strand's */
byte place_of[TASKS + 1];
byte needs[TASKS + 1];    /* a bit for each task */
bool ran[TASKS + 1];

#define is_in(p, t) (number[p] == t)

inline make_ready(p)
{
  atomic { drained(me) -> todo[p] = true }
}

/* `last`: nothing is left. */
inline count_down(p, c)
{
  load(left, WAITING + p);
  last = (left == c);
  if
  :: last
  :: else ->
     atomic { drained(me) -> left = mem[WAITING + p]; mem[WAITING + p] = left - c };
     last = (left == c)
  fi
}

inline link_to(q, e)
{
  load(seen, SUCCESSORS + q);
  linked = false;
  do
  :: seen == FINISHED ->
#ifndef DONE_DROPPED
     done++;
#endif
     break
  :: linked -> break
  :: else ->
     store(NEXT + e, seen);
     atomic {
       drained(me) ->
#ifdef NO_RECHECK
       mem[SUCCESSORS + q] = e + 1; linked = true
#else
       if
       :: mem[SUCCESSORS + q] == seen -> mem[SUCCESSORS + q] = e + 1; linked = true
       :: else -> seen = mem[SUCCESSORS + q]
       fi
#endif
     }
  od
}

active proctype submitter()
{
  byte me = _pid - THREADS;
  byte t = 1, p, q, before, count, done, seen, left;
  byte found[EDGES];
  bool linked, last;
  d_step {
    p = 0;
    do
    :: p < PLACES -> mem[SUCCESSORS + p] = FINISHED; p++
    :: else -> break
    od;
    p = 0
  };
  do
  :: t > TASKS -> break
  :: else ->
     /* A place that is free, by and by. */
     do
     :: p = 0; load(seen, SUCCESSORS + p);
        if
        :: seen == FINISHED -> break
        :: else
        fi
     :: p = 1; load(seen, SUCCESSORS + p);
        if
        :: seen == FINISHED -> break
        :: else
        fi
     od;
     /* What it waits for: as records tell, tasks that have not finished, of those before. */
     count = 0;
     before = 1;
     do
     :: before == t -> break
     :: before < t ->
        if
        :: skip
        :: needs[t] = needs[t] | (1 << before);
           q = place_of[before];
           load(seen, SUCCESSORS + q);
           if
           :: !is_in(q, before) || seen == FINISHED
           :: is_in(q, before) && seen != FINISHED -> found[count] = q; count++
           fi
        fi;
        before++
     od;
     skip;
     d_step { place_of[t] = p; number[p] = t };
     store(CLOSURE + p, t);
     store(NEXT + EDGES * p, OTHERS);
     store(NEXT + EDGES * p + 1, OTHERS);
     store(SUCCESSORS + p, 0);
     if
     :: count == 0 -> make_ready(p)
     :: else ->
#ifndef COUNT_LATE
        store(WAITING + p, count);
#endif
        done = 0;
        link_to(found[0], EDGES * p);
        if
        :: count == 2 -> link_to(found[1], EDGES * p + 1)
        :: else
        fi;
#ifdef COUNT_LATE
        store(WAITING + p, count);
#endif
        if
        :: done != 0 ->
           count_down(p, done);
           if
           :: last -> make_ready(p)
           :: else
           fi
        :: else
        fi
     fi;
     d_step { found[0] = 0; found[1] = 0; q = 0; seen = 0; left = 0; last = false; linked = false; done = 0; count = 0 };
     t++
  od
}

inline run_task()
{
  load(t, CLOSURE + p);
  d_step { assert(t != 0 && t == number[p]); assert(!ran[t]); ran[t] = true };
  before = 1;
  do
  :: before == t -> break
  :: before < t ->
     if
     :: needs[t] & (1 << before) -> load(seen, DID + before); assert(seen == 1)
     :: else
     fi;
     before++
  od;
  store(DID + t, 1);
#ifndef REUSE_EARLY
  store(CLOSURE + p, 0);
#endif
  atomic { drained(me) -> edge = mem[SUCCESSORS + p]; mem[SUCCESSORS + p] = FINISHED };
#ifdef REUSE_EARLY
  store(CLOSURE + p, 0);
#endif
  do
  :: edge == 0 -> break
  :: else ->
     q = (edge - 1) / EDGES;
#ifndef EDGE_LATE
     load(next, NEXT + edge - 1);
#endif
     count_down(q, 1);
     if
     :: last -> make_ready(q)
     :: else
     fi;
#ifdef EDGE_LATE
     load(next, NEXT + edge - 1);
#endif
     assert(next != OTHERS);
     edge = next
  od;
  skip;
  d_step { p = 0; q = 0; t = 0; next = 0; left = 0; seen = 0; before = 0; last = false }
}

active [2] proctype runner()
{
  byte me = _pid - THREADS;
  byte p, q, t, edge, next, left, seen, before;
  bool last;
end:
  do
  :: todo[0] || todo[1] ->
     if
     :: atomic { todo[0] && drained(me) -> todo[0] = false; p = 0 }; run_task()
     :: atomic { todo[1] && drained(me) -> todo[1] = false; p = 1 }; run_task()
     :: !todo[0] && !todo[1]
     fi
  od
}

active proctype at_rest()
{
  byte t = 1;
  timeout ->
  do
  :: t > TASKS -> break
  :: else -> assert(ran[t]); t++
  od
}
