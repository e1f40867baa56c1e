// SPDX-License-Identifier: Apache-2.0
/* Values of a graph's nodes: a value lives until its last reader has been computed, while several workers explore and
 * compute nodes, and while nodes that one of them makes are explored at once by others. Edge D25.
 *
 * S, the sink, needs A and D. A needs X, D needs B, and B needs X. A or S creates C, which needs X. Only X's value is
 * followed. What a node is given away to is open to all workers: a local queue, a part on offer, the posts of a color. The lists of nodes that wait are in
 * graph.pml; here a node gets into a list, and a list is taken, in one step. A worker that may compute a node while others
 * explore may also put it aside until all has been explored, and a strand may end at any time.
 *
 *   LATE   S creates C. S does not read X, which may have been freed, so C may be told so
 *   PAIR   A reads nothing. It creates X, which nobody else reads, and then C
 *   OLD    A reads nothing, D reads X. A creates B, which reads X, and then C, which needs B and X. If B comes too late for X, C may
 *          come too late, too
 * Mutants: GIVE_FIRST        an explorer gives away each node that it makes, and counts them at the end
 *          COUNT_LATE        it gives away all, and then counts them
 *          SELF_FIRST        it counts itself as explored, and then the nodes that it made as unexplored
 *          NOTE_LATE         it counts itself as explored before it has noted what it is going to read
 *          NO_HOLD           who computes a value does not hold it until all has been explored
 *          RELEASE_READ      a node does not hold what it has read, though nodes are unexplored
 *          CREATE_UNCOUNTED  a created node is given away, and then counted
 *          CREATOR_UNCOUNTED a node that goes on creating does not count (with PAIR)
 *          CREATOR_LATE      such a node counts once it has given away what it created (with PAIR)
 *          RELEASE_CREATED   only a node that creates others holds it (with OLD)
 *          LEAVE_LEFT        who was the last to create does not look at the values that strands have left (with PAIR)
 *          FREE_AT_ZERO      a value is freed at zero readers, without a second look (with three workers)
 *          LEAVE_UNSEEN      a strand that ends looks whether all has been explored, and then locks the list of values
 *          LATER_UNSEEN      who puts a node aside looks whether all has been explored, and then locks the list
 *          TAKE_FIRST        the last explorer takes what was put aside, and then counts itself as explored
 */
#ifndef WORKERS
#define WORKERS 2
#endif

#define S 0
#define A 1
#define D 2
#define B 3
#define X 4
#define C 5
#define NODES 6
#define NONE 7

#ifdef LATE
#define CREATOR S
#else
#define CREATOR A
#endif

/* The i-th predecessor of n. */
#if defined(PAIR)
#define predecessors(n) (n == S -> 2 : (n == C || n == D -> 1 : 0))
#elif defined(OLD)
#define predecessors(n) (n == S || n == C -> 2 : (n == D || n == B -> 1 : 0))
#else
#define predecessors(n) (n == S -> 2 : (n == X -> 0 : 1))
#endif
#ifdef OLD
#define predecessor(n, i) (n == S -> (i == 0 -> A : D) : (n == C && i == 0 -> B : X))
#else
#define predecessor(n, i) (n == S -> (i == 0 -> A : D) : (n == D -> B : X))
#endif
#define bit(n) (1 << (n))

bool made[NODES];
bool computed[NODES];
byte waiters[NODES];    /* a bit for each node in the list */
byte waiting[NODES];
byte unexplored = 1;
byte creators;          /* in one word with `unexplored` */
#define no_more (unexplored == 0 && creators == 0)

/* Of X's value: */
byte readers;
bool freed;             /* the mark */
bool gone;              /* the memory */
bool too_late;          /* for B */
byte held[WORKERS];     /* how often each worker counts as a reader without being one */
byte left;              /* how often strands that have ended do */

bool to_explore[NODES]; /* for whoever comes */
bool to_compute[NODES];
bool aside[NODES];
byte locked = NONE;     /* by whom */

inline release()
{
  atomic { readers--; last = (readers == 0) };
  if
  :: last ->
#ifdef FREE_AT_ZERO
     freed = true;
     gone = true
#else
     atomic {
       if
       :: readers == 0 && !freed -> freed = true
       :: else -> last = false
       fi
     };
     if
     :: last -> gone = true
     :: else
     fi
#endif
  :: else
  fi
}

inline release_all(count)
{
  do
  :: atomic { count > 0 -> count-- }; release()
  :: else -> break
  od
}

/* A strand ends, or finds that nothing is left to explore. */
inline leave()
{
#ifdef LEAVE_UNSEEN
  none = no_more;
#endif
  atomic { locked == NONE -> locked = me };
#ifndef LEAVE_UNSEEN
  none = no_more;
#endif
  if
  :: none -> release_all(left); release_all(held[me])
  :: else -> d_step { left = left + held[me]; held[me] = 0 }
  fi;
  locked = NONE
}

inline give_all()
{
  atomic {
    for (q : 0 .. NODES - 1) {
      if
      :: mine & bit(q) -> to_explore[q] = true
      :: else
      fi
    }
  }
}

inline take_aside()
{
  atomic {
    for (q : 0 .. NODES - 1) {
      if
      :: aside[q] -> aside[q] = false; to_compute[q] = true
      :: else
      fi
    }
  }
}

inline note()
{
  if
  :: found & bit(X) -> readers++
  :: else
  fi;
  found = 0
}

inline explore(n)
{
  waiting[n] = predecessors(n);
  i = 0;
  do
  :: i < predecessors(n) ->
     p = predecessor(n, i);
     atomic {
       if
       :: !made[p] -> made[p] = true; waiters[p] = bit(n); mine = mine | bit(p); more++
       :: else ->
          if
          :: computed[p] -> done++; found = bit(p)
          :: else -> waiters[p] = waiters[p] | bit(n)
          fi
       fi
     };
#ifndef NOTE_LATE
     note();
#endif
#ifdef GIVE_FIRST
     give_all();
     mine = 0;
#endif
     i++
  :: else -> break
  od;
#ifdef COUNT_LATE
  give_all();
  mine = 0;
#endif
#ifdef TAKE_FIRST
  take_aside();
#endif
#ifdef SELF_FIRST
  unexplored--;
  atomic { unexplored = unexplored + more; none = (unexplored == 0) };
#else
  atomic { unexplored = unexplored + more - 1; none = (unexplored == 0) };
#endif
#ifdef NOTE_LATE
  note();
#endif
  give_all();
  atomic {
    waiting[n] = waiting[n] - done;
    if
    :: waiting[n] == 0 && (done > 0 || predecessors(n) == 0) -> to_compute[n] = true
    :: else
    fi
  };
  if
  :: none ->
     leave();
#ifndef TAKE_FIRST
     take_aside()
#endif
  :: else
  fi
}

inline read_value(n)
{
  if
  :: freed ->
#if defined(LATE)
     assert(n == C)
#elif defined(OLD)
     assert(n == B || (n == C && too_late));
     too_late = true
#else
     assert(false)
#endif
  :: else -> assert(!gone)
  fi
}

inline create_one(n)
{
  made[n] = true;
#ifdef CREATE_UNCOUNTED
  to_explore[n] = true;
  unexplored++
#else
  unexplored++;
  to_explore[n] = true
#endif
}

inline create()
{
#if !defined(CREATOR_UNCOUNTED) && !defined(CREATOR_LATE)
  creators++;
#endif
#ifdef PAIR
  create_one(X);
#endif
#ifdef OLD
  create_one(B);
#endif
#ifdef CREATOR_LATE
  creators++;
#endif
  create_one(C)
}

#if defined(PAIR)
#define reads_x(n) (n == C)
#elif defined(OLD)
#define reads_x(n) (n == D || n == B || n == C)
#else
#define reads_x(n) (n == A || n == B || n == C)
#endif

inline compute(n)
{
  if
  :: reads_x(n) -> read_value(n)
  :: else
  fi;
  if
  :: n == CREATOR -> create()
  :: else
  fi;
  assert(!computed[n]);
  if
  :: n == X -> readers = 1
  :: else
  fi;
  atomic { computed[n] = true; found = waiters[n] };
  if
#ifndef CREATOR_UNCOUNTED
  :: n == CREATOR -> creators--
#endif
  :: else
  fi;
#ifdef NO_HOLD
  none = true;
#else
  none = no_more;
#endif
  if
  :: n == X ->
     more = (found & bit(A) && reads_x(A) -> 1 : 0) + (found & bit(B) -> 1 : 0) + (found & bit(C) -> 1 : 0) +
            (found & bit(D) && reads_x(D) -> 1 : 0);
     if
     :: none && more == 0 -> release()
     :: none && more != 0 -> readers = readers + more - 1
     :: else -> readers = readers + more; held[me]++
     fi
  :: reads_x(n) ->
     if
#if defined(RELEASE_READ)
     :: release()
#elif defined(RELEASE_CREATED)
     :: !none && n == CREATOR -> held[me]++
     :: none || n != CREATOR -> release()
#else
     :: !none -> held[me]++
     :: none -> release()
#endif
     fi
  :: else
  fi;
  if
#ifdef LEAVE_LEFT
  :: none -> release_all(held[me])
#else
  :: none && n == CREATOR -> leave()
  :: none && n != CREATOR -> release_all(held[me])
#endif
  :: else
  fi;
  for (q : 0 .. NODES - 1) {
    if
    :: found & bit(q) ->
       atomic {
         waiting[q]--;
         if
         :: waiting[q] == 0 -> to_compute[q] = true
         :: else
         fi
       }
    :: else
    fi
  }
}

/* A node that is ready is put aside, and comes back when all has been explored. */
inline put_aside(n)
{
#ifdef LATER_UNSEEN
  none = (unexplored == 0);
  atomic {
#else
  atomic {
    none = (unexplored == 0);
#endif
    if
    :: none -> to_compute[n] = true
    :: else -> aside[n] = true
    fi
  }
}

proctype worker(byte me)
{
  byte n, i, p, q, mine, found, more, done;
  bool last, none;

end_idle:
  do
  :: atomic {
       if
       :: to_explore[S] -> n = S
       :: to_explore[A] -> n = A
       :: to_explore[D] -> n = D
       :: to_explore[B] -> n = B
       :: to_explore[X] -> n = X
       :: to_explore[C] -> n = C
       fi;
       to_explore[n] = false
     };
     explore(n);
     atomic { n = 0; i = 0; p = 0; q = 0; mine = 0; found = 0; more = 0; done = 0; last = false; none = false }
  :: atomic {
       if
       :: to_compute[S] -> n = S
       :: to_compute[A] -> n = A
       :: to_compute[D] -> n = D
       :: to_compute[B] -> n = B
       :: to_compute[X] -> n = X
       :: to_compute[C] -> n = C
       fi;
       to_compute[n] = false
     };
     if
     :: compute(n)
     :: unexplored > 0 -> put_aside(n)
     fi;
     atomic { n = 0; i = 0; p = 0; q = 0; mine = 0; found = 0; more = 0; done = 0; last = false; none = false }
  :: held[me] > 0 -> /* the strand ends */
     leave();
     atomic { last = false; none = false }
  od
}

active proctype at_rest()
{
  byte n;

  timeout ->
  for (n : S .. C) {
    assert(computed[n])
  };
  assert(gone)
}

init
{
  atomic {
    made[S] = true;
    to_explore[S] = true;
    run worker(0);
    run worker(1);
#if WORKERS > 2
    run worker(2)
#endif
  }
}
