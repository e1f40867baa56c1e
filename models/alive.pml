// SPDX-License-Identifier: Apache-2.0
/* A bound for the values of a graph that are alive (`most_alive`): which nodes begin, who begins those that have waited for
 * room, and how the run comes to its end. All nodes have been explored: before that, none begins.
 *
 * S, the sink, needs A and B. A needs A1, A2 and A3, and B needs B1, B2 and B3. One strand alone has four values at a time.
 * All that a strand has to do is open to the others, too: in the code by parts of its queue, each of which counts as a strand
 * at work. The counts, and the list of nodes that wait, change in one step, under the lock. Values are one each: bytes are
 * counted in the same way.
 *
 *   MOST    the bound. Below what one strand needs, it cannot be kept, and the run has to end all the same
 *   HOLD    a strand may keep a value that it was to free until it has nothing else to do, as a node does that has created
 *           others. So much may be alive beyond the bound
 *   SHARED  B needs A1, and nothing else. One strand alone has three values at a time
 * Mutants: ADMIT_LATE     a node that finds room takes it in another step
 *          GIVE_UNCOUNTED what is taken from the list takes no room
 *          COUNT_LATE     the end of a node gives back its room, and then counts its value
 *          NO_ROOM        others leave no room for a strand that is alone
 *          ANY_ORDER      a strand that is alone takes any node of the list
 *          NO_ALONE       a strand that is alone takes no node beyond the bound
 *          NOT_ALONE      a strand that is not alone takes nodes beyond the bound, too
 *          NO_AGAIN       the run ends when its strands have left, whatever waits
 *          FREED_UNTOLD   (HOLD) a strand does not tell what it has freed late
 *          FREES_SHARED   (SHARED) a node counts on the room of a value that another one reads, too
 *          RELEASE_FIRST  a node gives back what it reads, and then reads
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef MOST
#define MOST 4
#endif
#ifdef SHARED
#define NEEDED 3
#else
#define NEEDED 4
#endif

/* In the order of the list: by the numbers of their ranges, and of one number the deepest first. */
#define A1 0
#define A 1
#define S 2
#define A2 3
#define A3 4
#define B1 5
#define B 6
#define B2 7
#define B3 8
#define NODES 9
#define NONE 9

#define bit(n) (1 << (n))
#define NOTHING 0
#ifdef SHARED
#define ONE_OF_B A1
#define TWO_OF_B NONE
#define THREE_OF_B NONE
#define LEAVES (bit(A1) | bit(A2) | bit(A3))
#else
#define ONE_OF_B B1
#define TWO_OF_B B2
#define THREE_OF_B B3
#define LEAVES (bit(A1) | bit(A2) | bit(A3) | bit(B1) | bit(B2) | bit(B3))
#endif
#define ALL (LEAVES | bit(A) | bit(B) | bit(S))
#define is_leaf(n) ((LEAVES & bit(n)) != 0)
/* What a node reads that is no leaf; NONE: no more. */
#define one(n) (n == A -> A1 : (n == B -> ONE_OF_B : A))
#define two(n) (n == A -> A2 : (n == B -> TWO_OF_B : B))
#define three(n) (n == A -> A3 : (n == B -> THREE_OF_B : NONE))
#define can_read(p) (p == NONE || is_there(p))
#define is_there(p) ((computed & bit(p)) != 0 && (gone & bit(p)) == 0)

short ready;             /* for whoever comes: a bit for each node, as in these */
short listed;
short admitted;
short computed;
short gone;              /* values that have been freed */
byte readers[NODES + 1]; /* of a value */
byte waiting[NODES];     /* for so many nodes */
bool room[NODES];        /* the node has taken room */
short alive, taken;      /* values, and the room of nodes that have not ended */
byte at_work = 1;
bool begins;             /* the strand that begins the run, or begins it again, has not begun */
bool over;
bool crowded, unread, left_over;  /* what must not be */

/* What the code does not count, and what it counts is compared with: nodes with room that have not been computed, and nodes
 * without room that have been, and have not yet freed what they read. */
byte underway, in_place;

#ifdef NO_ROOM
#define TOGETHER MOST
#else
#define TOGETHER (MOST >= NEEDED -> MOST - NEEDED : MOST)
#endif
#ifdef HOLD
#define LARGEST NODES
#else
#define LARGEST (MOST < NEEDED -> NODES : MOST)
#endif
#define fits(frees) (frees > 0 || alive + taken < TOGETHER)

#ifdef FREES_SHARED
#define is_last(p) (readers[p] > 0)
#else
#define is_last(p) (readers[p] == 1)
#endif
#define frees_of(n) (is_leaf(n) -> 0 : is_last(one(n)) + is_last(two(n)) + is_last(three(n)))
#define value(p) (is_there(p) -> 1 : 0)
#define values (value(A1) + value(A2) + value(A3) + value(B1) + value(B2) + value(B3) + value(A) + value(B) + value(S))

/* `together`: it has found room among others. */
inline admit(n, frees, together)
{
  admitted = admitted | bit(n);
  room[n] = (frees == 0);
  taken = taken + room[n];
  crowded = together && frees == 0 && values - in_place + underway >= TOGETHER;
  assert(!crowded);
  underway = underway + room[n]
}

inline find_first()
{
  first = 0;
  do
  :: first < NODES && (listed & bit(first)) == 0 -> first++
  :: else -> break
  od
}

/* Under the lock. */
inline give_all()
{
  do
  :: true ->
     find_first();
     if
     :: first < NODES && fits(0) ->
        listed = listed & ~bit(first);
        admit(first, 0, true);
#ifdef GIVE_UNCOUNTED
        taken--;
#endif
        ready = ready | bit(first);
        gave = true
     :: else -> break
     fi
  od;
  first = 0
}

inline release(p)
{
  if
  :: p != NONE ->
     if
     :: d_step { readers[p] == 1 -> readers[p] = 0; gone = gone | bit(p); freed++ }
     :: d_step { readers[p] > 1 -> readers[p]-- }
#ifdef HOLD
     :: held == NONE -> held = p
#endif
     fi
  :: else
  fi
}

inline release_held()
{
  d_step {
    if
    :: held != NONE ->
       readers[held]--;
       if
       :: readers[held] == 0 -> gone = gone | bit(held); freed++
       :: else
       fi;
       held = NONE
    :: else
    fi
  }
}

inline release_all(n)
{
  if
  :: !is_leaf(n) -> release(one(n)); release(two(n)); release(three(n))
  :: else
  fi
}

inline count_down(m)
{
  waiting[m]--;
  if
  :: waiting[m] == 0 -> ready = ready | bit(m)
  :: else
  fi
}

inline compute(n)
{
#ifdef RELEASE_FIRST
  release_all(n);
#endif
  d_step {
    assert((computed & bit(n)) == 0);
    unread = !is_leaf(n) && !(can_read(one(n)) && can_read(two(n)) && can_read(three(n)));
    assert(!unread);
    underway = underway - room[n];
    in_place = in_place + 1 - room[n];
    computed = computed | bit(n);
    readers[n] = 1;
#ifdef SHARED
    if
    :: n == A1 -> readers[n] = 2
    :: else
    fi
#endif
  };
#ifndef RELEASE_FIRST
  release_all(n);
#endif
#ifndef HOLD
  assert(room[n] || freed > 0);
#endif
#ifdef COUNT_LATE
  d_step { taken = taken - room[n]; in_place = in_place - 1 + room[n]; gave = false; give_all() };
  d_step { alive = alive + 1 - freed; freed = 0; assert(alive <= LARGEST) };
#else
  d_step {
#ifdef GIVE_UNCOUNTED
    taken = (taken > 0 -> taken - room[n] : 0);
#else
    taken = taken - room[n];
#endif
    alive = alive + 1 - freed;
    freed = 0;
    in_place = in_place - 1 + room[n];
    assert(alive <= LARGEST);
    give_all()
  };
#endif
  d_step {
    if
    :: n == A || n == B -> count_down(S)
    :: n == A2 || n == A3 -> count_down(A)
    :: n == B1 || n == B2 || n == B3 -> count_down(B)
    :: n == A1 ->
       count_down(A);
#ifdef SHARED
       count_down(B)
#endif
    :: else
    fi
  }
}

/* Computes the node, or lists it. */
inline begin(n)
{
  if
  :: (admitted & bit(n)) != 0 -> gave = true
  :: else ->
     frees = frees_of(n);  /* without the lock */
#ifdef ADMIT_LATE
     gave = fits(frees);
     d_step {
       if
       :: gave -> admit(n, frees, true)
       :: else -> listed = listed | bit(n)
       fi
     }
#else
     d_step {
       gave = fits(frees);
       if
       :: gave -> admit(n, frees, true)
       :: else -> listed = listed | bit(n)
       fi
     }
#endif
  fi;
  if
  :: gave -> compute(n)
  :: else
  fi;
  d_step { frees = 0; gave = false; n = NONE }
}

/* Takes a node that has waited: one that finds room, or, if the strand is alone, the first. */
inline take()
{
#ifdef NOT_ALONE
  alone = (ready == 0);
#else
  alone = (at_work == 1 && ready == 0);  /* what is ready would be in this strand's own queue */
#endif
  atomic {
    find_first();
    n = first;
    if
    :: first < NODES && !fits(0) ->
       n = 0;
       do
       :: n < NODES && ((listed & bit(n)) == 0 || !fits(frees_of(n))) -> n++
       :: else -> break
       od
    :: else
    fi;
    if
    :: n < NODES -> frees = frees_of(n); alone = false
#ifndef NO_ALONE
#ifdef ANY_ORDER
    :: n == NODES && alone && first < NODES ->
       if
       :: n = first
       :: (listed & bit(A2)) != 0 -> n = A2
       :: (listed & bit(B1)) != 0 -> n = B1
       :: (listed & bit(B2)) != 0 -> n = B2
       fi
#else
    :: n == NODES && alone && first < NODES -> n = first
#endif
#endif
    :: else
    fi;
    if
    :: n < NODES -> listed = listed & ~bit(n); admit(n, frees, !alone)
    :: else
    fi;
    first = 0;
    frees = 0;
    alone = false
  }
}

proctype worker()
{
  byte n = NONE, first, frees, freed, held = NONE;
  bool alone, gave;

end_idle:
  do
  :: over -> break
  :: atomic {
       if
       :: begins -> begins = false
       :: at_work > 0 && ready != 0 -> at_work++
       fi
     };
     do
     :: atomic {
          if
          :: ready & bit(A1) -> n = A1
          :: ready & bit(A2) -> n = A2
          :: ready & bit(A3) -> n = A3
          :: ready & bit(B1) -> n = B1
          :: ready & bit(B2) -> n = B2
          :: ready & bit(B3) -> n = B3
          :: ready & bit(A) -> n = A
          :: ready & bit(B) -> n = B
          :: ready & bit(S) -> n = S
          fi;
          ready = ready & ~bit(n)
        };
        begin(n)
     :: ready == 0 || at_work > 1 ->
        release_held();
#ifdef FREED_UNTOLD
        freed = 0;
#endif
        d_step { alive = alive - freed; freed = 0; gave = false; give_all() };
        if
        :: gave -> gave = false
        :: else ->
           take();
           if
           :: n != NONE -> begin(n)
           :: else ->
              /* The strand ends. What is ready is in the queue of one that stays. */
              atomic {
                if
                :: ready == 0 || at_work > 1 -> at_work--; break
                :: else
                fi
              }
           fi
        fi
     od
  od
}

/* The strand that began the run. */
active proctype run_graph()
{
  short before = NOTHING;  /* computed, when the strands last left */

  d_step { waiting[A] = 3; waiting[B] = (TWO_OF_B == NONE -> 1 : 3); waiting[S] = 2; ready = LEAVES; begins = true };
  do
  :: at_work == 0 ->
#ifndef NO_AGAIN
     if
     :: listed != 0 ->
        assert(computed != before || computed == NOTHING);
        before = computed;
        atomic { at_work = 1; begins = true }
     :: else -> break
     fi
#else
     break
#endif
  od;
  over = true;
  left_over = computed != ALL || gone != (ALL & ~bit(S));
  assert(!left_over);
  assert(alive == 1 && taken == 0)
}

init
{
  atomic {
    run worker();
    run worker();
#if WORKERS > 2
    run worker()
#endif
  }
}
