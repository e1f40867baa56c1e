/* Sleep and wake, as sleep.pml and home.pml use it.
 *
 * A critical section with at most one access that somebody sees without the lock is one atomic step here (the lock
 * is a right mover, the draining unlock a left mover). Left as cells are the words that owners write without a lock.
 *
 * The including model defines WORKERS, PUSHES, INSERTS, OTHER_CELLS, OTHER_SOURCE(me) (what else a sleeper has to
 * recheck). It gives each worker process `byte me, w, seen, chosen` and `bool woken, more`.
 *
 *   FENCE  the fallback without membarrier: `limit` stays shut, a push fences and looks at the reasons
 */
#define THREADS WORKERS
#define BUFFER (PUSHES + 2)
#define TAIL 0  /* TAIL + w */
#define OTHER_CELLS WORKERS
#define CELLS (OTHER_CELLS + OTHERS)

#include "tso.pml"

#define SHUT 0
#define OPEN 255
#define NOBODY 255

byte head[WORKERS];       /* under the deque's lock; so are reasons and writes of limit */
byte limit[WORKERS];      /* the owner loads it without the lock */
bool wake_asked[WORKERS]; /* `reasons` has WAKE */
bool attached[WORKERS];   /* workers a sleeper knows of; under the idle lock */
bool asleep[WORKERS];     /* the sleeper set; under the idle lock */
byte sleepers;            /* its size; read without the lock */
bool waking;              /* a wake is in flight; written under the idle lock, read without */
byte holder = NOBODY;     /* ghost: whose wake that is */
byte claimable;           /* items in the claimable list, under its lock */

mtype = { none, wake, call };  /* what a parker holds: nothing, the wake in flight, or a call to this worker alone */
mtype token[WORKERS] = none;

byte pushes, inserts;

#define visible(w) (mem[TAIL + w] > head[w])
#define under_lock drained(me) ->

/* Whoever attaches after a sleeper has armed the gates must not be missed: its gate starts shut. */
inline attach()
{
#ifdef ATTACH_OPEN
  atomic { under_lock attached[me] = true; limit[me] = OPEN }
#else
  atomic { under_lock attached[me] = true; limit[me] = SHUT; wake_asked[me] = true }
#endif
}

/* Any of them. Only its worker looks at a token, and blocks on it: giving it may count as part of the same step. */
inline remove_sleeper()
{
  atomic {
    under_lock
    if
    :: asleep[0] -> chosen = 0
    :: asleep[1] -> chosen = 1
    :: asleep[2] -> chosen = 2
    :: sleepers == 0 -> chosen = NOBODY
    fi;
    if
    :: chosen == NOBODY
    :: else ->
       asleep[chosen] = false;
       sleepers--;
       assert(holder == NOBODY && token[chosen] == none);
       holder = chosen;
       token[chosen] = wake
    fi
  }
}

/* The looks without the lock come after the caller's work is visible: it has just released a lock. */
inline wake_one()
{
  if
  :: sleepers == 0
  :: sleepers > 0 ->
#ifdef FLAG_OUTSIDE_LOCK
     atomic { drained(me) -> more = waking; waking = true };
     if
     :: more -> more = false
     :: else ->
        remove_sleeper();
        if
        :: chosen == NOBODY -> atomic { drained(me) -> waking = false }
        :: else -> chosen = NOBODY
        fi
     fi
#else
     if
     :: waking
     :: !waking ->
        atomic {
          under_lock
          if
          :: waking
          :: else -> remove_sleeper(); waking = (chosen != NOBODY); chosen = NOBODY
          fi
        }
     fi
#endif
  fi
}

/* Owner. Publish, then look at the gate; the lock drains, so the wake follows the publication. */
inline push()
{
#ifdef LIMIT_BEFORE_TAIL
  seen = limit[me];
#endif
  load(w, TAIL + me);
  store(TAIL + me, w + 1);
#ifdef FENCE
#ifndef NO_PUSH_FENCE
  fence();
#endif
  seen = (wake_asked[me] -> SHUT : OPEN);
#else
#ifndef LIMIT_BEFORE_TAIL
  seen = limit[me];
#endif
#endif
  if
  :: w + 1 <= seen
  :: else ->
     atomic { under_lock more = wake_asked[me]; wake_asked[me] = false; limit[me] = OPEN };
     if
     :: more -> more = false; wake_one()
     :: else
     fi
  fi;
  w = 0; seen = 0
}

inline insert()
{
  atomic { under_lock claimable++ };
  wake_one()
}

inline arm(w)
{
  wake_asked[w] = true; limit[w] = SHUT
}

/* Ask for a wake from whoever makes work from now on, and see what was made before. */
inline arm_and_recheck()
{
  if
  :: atomic { drained(me) && attached[0] -> arm(0) }
  :: !attached[0]
  fi;
  atomic { under_lock arm(1) };
  atomic { under_lock arm(2) };
#ifdef NO_BARRIER
  fence();
#else
#ifdef FENCE
  fence();
#else
  membarrier();
#endif
#endif
#ifndef NO_RECHECK
  /* One source at a time; the first that has something is enough. */
  if
#ifdef OTHER_SOURCE
  :: OTHER_SOURCE(me) -> seen = true
#endif
  :: claimable > 0 -> seen = true
  :: else ->
     if
     :: attached[0] && visible(0) -> seen = true
     :: else ->
        if
        :: visible(1) -> seen = true
        :: else -> seen = visible(2)
        fi
     fi
  fi
#endif
}

/* Before anything is rechecked: a producer may have skipped its wake because of this one. */
inline wake_is_over()
{
  assert(waking && holder == me);
  waking = false;
  holder = NOBODY;
  woken = false
}

/* A worker that leaves the search with the wake in flight: the gates that its wake opened are armed again for those
 * who sleep on, and work that it leaves behind wakes the next. */
inline hand_on()
{
  if
  :: !woken
  :: else ->
#ifdef CLEAR_LATE
     if
     :: sleepers > 0 -> arm_and_recheck()
     :: else
     fi;
     if
     :: seen ->
        seen = 0;
        atomic {
          holder = NOBODY;
          woken = false;
          remove_sleeper();
          waking = (chosen != NOBODY);
          chosen = NOBODY
        }
     :: else -> atomic { under_lock wake_is_over() }
     fi
#else
     atomic { under_lock wake_is_over(); more = (sleepers > 0) };
     if
     :: more ->
        more = false;
        arm_and_recheck();
        if
        :: seen -> seen = 0; wake_one()
        :: else
        fi
     :: else
     fi
#endif
  fi
}

inline take_token()
{
  atomic { token[me] != none -> woken = (token[me] == wake); token[me] = none }
}

/* After a vain search; returns to search again. */
inline sleep()
{
  if
  :: woken -> atomic { under_lock wake_is_over() }
  :: else
  fi;
  atomic { under_lock asleep[me] = true; sleepers++ };
  arm_and_recheck();
  if
  :: seen ->
     seen = 0;
     atomic {
       under_lock
       more = asleep[me];
       if
       :: more ->
          asleep[me] = false;
          sleepers--;
#ifndef LEAVE_BARE
          if
          :: waking
          :: else -> waking = true; holder = me; woken = true  /* it has woken itself */
          fi
#endif
       :: else
       fi
     };
     if
     :: more -> more = false
     :: else -> take_token()  /* somebody was faster: that wake is ours now, and its token on the way */
     fi
  :: else ->
end_parked:
     take_token()
  fi
}

/* Any source. Not seeing anything is always possible: a try_lock may have failed. */
inline take_something(found)
{
  if
  :: atomic { drained(me) && visible(0) -> head[0]++; found = true }
  :: atomic { drained(me) && visible(1) -> head[1]++; found = true }
  :: atomic { drained(me) && visible(2) -> head[2]++; found = true }
  :: atomic { drained(me) && claimable > 0 -> claimable--; found = true }
  :: found = false
  fi
}

#define work_waits (visible(0) || visible(1) || visible(2) || claimable > 0)
