// SPDX-License-Identifier: Apache-2.0
/* Graphs: nodes are made, waited for, computed and counted down by several workers at once. Edge D24 (what a node did,
 * before those that wait for it; how many a node waits for and its place in a list, before it is told).
 *
 * Two nodes, A and B, each need P and Q. One worker explores A, another B; who makes P or Q goes on to compute it, or
 * leaves that to any other: so does whoever finds that nothing is left to wait for. Each node is made once and computed
 * once, after its predecessors, and none is lost: at rest all have been computed.
 *
 *   THIEF   a third worker, who has nothing of his own
 * Mutants: COUNT_LATE       a node waits in lists before it is written how many it waits for
 *          COUNT_AS_LISTED  it is counted up as it goes into each list, and not at first
 *          NO_RECHECK       it goes into a list without a second look whether that has been taken
 *          LINK_LATE        its link is written when it is in the list
 *          MAKE_IN_TWO      a node that is not there is made by a load and a store
 *          MARK_IN_TWO      the list is taken by a load and a store
 *          COUNT_IN_TWO     a node is counted down by a load and a store
 *          DONE_IN_TWO      only by who explores it
 *          SHORTCUT_SHORT   what is left is taken for the last one's when the explorer has not counted yet
 *          DONE_DROPPED     a predecessor that is computed between the two looks is not counted
 *          OUTCOME_LATE     a node is marked before what it did is written
 */
#ifdef THIEF
#define THREADS 3
#else
#define THREADS 2
#endif
#define BUFFER 5

#define A 0
#define B 1
#define P 2
#define Q 3
#define NODES 4

/* The word of P and of Q: 0, or the maker plus 1 and the latest link in the upper half, or COMPUTED. */
#define SUCCESSORS (0 - P)  /* plus the node; those of A and B are nobody's matter */
#define WAITING 2           /* plus A or B */
#define OUTCOME 4           /* plus the node */
#define LINK_NODE 7         /* plus the link, 1 to 4 */
#define LINK_NEXT 11
#define CELLS 16
#define COMPUTED 255
#define UPPER 16

#include "tso.pml"

/* What is to be done: with which node, and whether it is ready to be computed. */
#define EXPLORE 0
#define COMPUTE NODES
#define NONE 255

bool todo[2 * NODES];  /* for whoever comes */
bool made[NODES];
bool computed[NODES];

inline follow(item)
{
  if
  :: next == NONE
  :: else -> atomic { drained(me) -> todo[next] = true }
  fi;
  next = item
}

inline add_in_two(n, c)
{
  load(left, WAITING + n);
  store(WAITING + n, left - c)
}

#ifdef SHORTCUT_SHORT
#define is_all(c) (left == c || left == c + 1)
#else
#define is_all(c) (left == c)
#endif

/* `last`: nothing is left. */
inline count_down(n, c, in_two)
{
  load(left, WAITING + n);
  if
  :: is_all(c) -> last = true
  :: else ->
#ifdef COUNT_IN_TWO
     add_in_two(n, c);
#elif defined(DONE_IN_TWO)
     if
     :: in_two -> add_in_two(n, c)
     :: else -> atomic { drained(me) -> left = mem[WAITING + n]; mem[WAITING + n] = left - c }
     fi;
#else
     atomic { drained(me) -> left = mem[WAITING + n]; mem[WAITING + n] = left - c };
#endif
     last = (left == c)
  fi
}

/* p gets n as its maker, or in its list, or is computed. */
inline wait_for(p, n)
{
  load(seen, SUCCESSORS + p);
  if
  :: seen == 0 ->
#ifdef MAKE_IN_TWO
     store(SUCCESSORS + p, n + 1)
#else
     atomic {
       drained(me) -> seen = mem[SUCCESSORS + p];
       if
       :: seen == 0 -> mem[SUCCESSORS + p] = n + 1
       :: else
       fi
     }
#endif
  :: else
  fi;
  if
  :: seen == 0 ->
     d_step { assert(!made[p]); made[p] = true };
     follow(EXPLORE + p)
  :: seen == COMPUTED -> done++
  :: else ->
     l = 2 * n + p - P + 1;
     before = COMPUTED;  /* to begin the loop */
     do
     :: before != seen ->
        before = seen;
#ifndef LINK_LATE
        store(LINK_NODE + l, n);
        store(LINK_NEXT + l, before / UPPER);
#endif
        atomic {
          drained(me) ->
#ifdef NO_RECHECK
          mem[SUCCESSORS + p] = before % UPPER + UPPER * l
#else
          seen = mem[SUCCESSORS + p];
          if
          :: seen == before -> mem[SUCCESSORS + p] = before % UPPER + UPPER * l
          :: else
          fi
#endif
        };
#ifdef LINK_LATE
        if
        :: seen == before -> store(LINK_NODE + l, n); store(LINK_NEXT + l, before / UPPER)
        :: else
        fi;
#endif
        if
        :: seen == COMPUTED ->
#ifndef DONE_DROPPED
           done++;
#endif
           break
        :: else
        fi
     :: else -> break
     od
  fi
}

inline explore(n)
{
  if
  :: n >= P -> follow(COMPUTE + n)
  :: else ->
#if !defined(COUNT_LATE) && !defined(COUNT_AS_LISTED)
     store(WAITING + n, 2);
#endif
     for (p : P .. Q) {
#ifdef COUNT_AS_LISTED
       atomic { drained(me) -> mem[WAITING + n] = mem[WAITING + n] + 1 };
#endif
       wait_for(p, n)
     }
#ifdef COUNT_LATE
     store(WAITING + n, 2);
#endif
     if
     :: done != 0 ->
        count_down(n, done, true);
        if
        :: last -> follow(COMPUTE + n)
        :: else
        fi
     :: else
     fi
  fi
}

inline notify(n)
{
  count_down(n, 1, false);
  if
  :: last -> follow(COMPUTE + n)
  :: else
  fi
}

inline compute(n)
{
  d_step { assert(!computed[n]); computed[n] = true };
  if
  :: n < P ->
     load(seen, OUTCOME + P);
     assert(seen == 1);
     load(seen, OUTCOME + Q);
     assert(seen == 1)
  :: else ->
#ifndef OUTCOME_LATE
     store(OUTCOME + n, 1);
#endif
#ifdef MARK_IN_TWO
     load(seen, SUCCESSORS + n);
     store(SUCCESSORS + n, COMPUTED);
#else
     atomic { drained(me) -> seen = mem[SUCCESSORS + n]; mem[SUCCESSORS + n] = COMPUTED };
#endif
#ifdef OUTCOME_LATE
     store(OUTCOME + n, 1);
#endif
     before = seen % UPPER - 1;
     l = seen / UPPER;
     do
     :: before != NONE ->
        notify(before);
        if
        :: l == 0 -> before = NONE
        :: else ->
           load(before, LINK_NODE + l);
           load(l, LINK_NEXT + l)
        fi
     :: else -> break
     od
  fi
}

proctype worker(byte me; byte next)
{
  byte at, seen, before, l, p, done, left;
  bool last;

  do
  :: next != NONE ->
     if
     :: atomic { drained(me) -> todo[next] = true; next = NONE }
     :: at = next % NODES;
        if
        :: next < COMPUTE -> next = NONE; explore(at)
        :: else -> next = NONE; compute(at)
        fi;
        atomic { at = 0; seen = 0; before = 0; l = 0; p = 0; done = 0; left = 0; last = false }
     fi
  :: else ->
end_idle:
     atomic {
       if
       :: todo[COMPUTE + A] -> next = COMPUTE + A
       :: todo[COMPUTE + B] -> next = COMPUTE + B
       :: todo[EXPLORE + A] -> next = EXPLORE + A
       :: todo[EXPLORE + B] -> next = EXPLORE + B
       :: todo[EXPLORE + P] -> next = EXPLORE + P
       :: todo[EXPLORE + Q] -> next = EXPLORE + Q
       :: todo[COMPUTE + P] -> next = COMPUTE + P
       :: todo[COMPUTE + Q] -> next = COMPUTE + Q
       fi;
       todo[next] = false
     }
  od
}

active proctype at_rest()
{
  byte n;

  timeout ->
  for (n : A .. Q) {
    assert(computed[n])
  }
}

init
{
  atomic {
    run worker(0, EXPLORE + A);
    run worker(1, EXPLORE + B);
#ifdef THIEF
    run worker(2, NONE)
#endif
  }
}
