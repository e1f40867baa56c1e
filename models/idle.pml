/* Sleep and wake, as sleep.pml and home.pml use it.
 *
 * A critical section with at most one access that somebody sees without the lock is one atomic step here: taking a
 * lock moves right past the others' steps, a release that drains moves left. Only `tail` is stored without a lock.
 *
 * Before the include: PUSHES (how many there are), and OTHER_SOURCE(me) if a sleeper has more to recheck than deques
 * and claimable list, with OTHER_CELLS for it. Worker 0 attaches late, if at all; 1 and 2 are there from the start.
 * Each worker process has `byte me, w, seen, chosen = NOBODY` and `bool woken, more`, all at rest between inlines.
 *
 *   FENCE  the fallback without membarrier: `limit` is shut for good, so each push fences and looks at the reasons
 * The mutants are listed where they apply, in the models.
 */
#define THREADS 3
#define BUFFER (PUSHES + 1)
#define TAIL 0  /* TAIL + worker */
#define OTHER 3
#ifndef OTHER_CELLS
#define OTHER_CELLS 0
#endif
#define CELLS (OTHER + OTHER_CELLS)

#include "tso.pml"

#define SHUT 0
#define OPEN 255
#define NOBODY 255

mtype = { none, wake, call };  /* what a parker can hold: the wake in flight, or a call to this worker alone */

byte head[3];           /* under the deque's lock, */
bool wake_asked[3];     /* and so `reasons` with WAKE in it, */
byte limit[3];          /* and the writes of limit; its owner loads it without */
byte claimable;         /* items in the claimable list; under the list's lock */
bool attached[3];       /* the workers a sleeper knows of; under the idle lock */
bool asleep[3];         /* the sleeper set; under the idle lock */
byte sleepers;          /* its size; under the idle lock, also looked at without */
bool waking;            /* a wake is in flight; under the idle lock, also looked at without */
mtype token[3] = none;
byte holder = NOBODY;   /* ghost: whose the wake in flight is */
byte pushes;

#define visible(worker) (mem[TAIL + worker] > head[worker])
#define work_waits (visible(0) || visible(1) || visible(2) || claimable > 0)

#define under_lock drained(me)

/* A worker that attaches after the sleepers have armed the gates was overlooked: it starts with its own armed. */
inline attach()
{
#ifdef ATTACH_OPEN
  atomic { under_lock -> attached[me] = true; limit[me] = OPEN }
#else
  atomic { under_lock -> attached[me] = true; arm(me) }
#endif
}

inline arm(worker)
{
  wake_asked[worker] = true;
  limit[worker] = SHUT
}

/* Any of them. Only its worker looks at a token, and blocks on it: giving it may count as part of the same step. */
inline remove_sleeper()
{
  atomic {
    under_lock ->
    if
    :: asleep[0] -> chosen = 0
    :: asleep[1] -> chosen = 1
    :: asleep[2] -> chosen = 2
    :: sleepers == 0
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

/* The caller's work is visible: it has released a lock since. Hence the looks without the lock are safe. */
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
          under_lock ->
          if
          :: waking  /* its holder is going to look for what the caller has made: see wake_is_over */
          :: else -> remove_sleeper(); waking = (chosen != NOBODY); chosen = NOBODY
          fi
        }
     fi
#endif
  fi
}

/* Owner: publish, then compare with the gate. */
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
     atomic { under_lock -> more = wake_asked[me]; wake_asked[me] = false; limit[me] = OPEN };
     if
     :: more -> more = false; wake_one()
     :: else
     fi
  fi;
  d_step { w = 0; seen = 0 }
}

/* A producer of claimable work has no gate: it looks at the number of sleepers instead. */
inline insert()
{
  atomic { under_lock -> claimable++ };
  wake_one()
}

/* Ask for a wake from whoever makes work from now on; then see what was made before, one source after the other. */
inline arm_and_recheck()
{
  if
  :: atomic { under_lock && attached[0] -> arm(0) }
  :: !attached[0]
  fi;
  atomic { under_lock -> arm(1) };
  atomic { under_lock -> arm(2) };
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
  if
#ifdef OTHER_SOURCE
  :: OTHER_SOURCE(me) -> seen = true
#endif
#if INSERTS
  :: claimable > 0 -> seen = true
#endif
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

/* Under the idle lock, and always before a recheck: producers have skipped their wake because of this one. */
inline wake_is_over()
{
  assert(waking && holder == me);
  waking = false;
  holder = NOBODY;
  woken = false
}

/* Whoever stops searching with the wake in flight: the gates which that wake has opened are armed again for those
 * who sleep on, and work that is left behind wakes the next. */
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
     :: else -> atomic { under_lock -> wake_is_over() }
     fi
#else
     atomic { under_lock -> wake_is_over(); more = (sleepers > 0) };
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
#ifdef CALL_IS_WAKE
  atomic { token[me] != none -> woken = true; token[me] = none }
#else
  atomic { token[me] != none -> woken = woken || token[me] == wake; token[me] = none }
#endif
}

/* After a vain search; then the search begins anew. */
inline sleep()
{
  if
  :: woken -> atomic { under_lock -> wake_is_over() }
  :: else
  fi;
  atomic { under_lock -> asleep[me] = true; sleepers++ };
  arm_and_recheck();
  if
  :: seen ->
     seen = 0;
     atomic {
       under_lock ->
       more = !asleep[me];
#ifdef LEAVE_BARE
#define TAKES_WAKE false
#endif
#ifdef CALLED_BARE
#define TAKES_WAKE (!waking && !more)
#endif
#ifndef TAKES_WAKE
#define TAKES_WAKE !waking  /* it wakes itself, with the duties of the woken */
#endif
       if
       :: TAKES_WAKE -> waking = true; holder = me; woken = true
       :: else
       fi;
       if
       :: more
       :: else -> asleep[me] = false; sleepers--
       fi
     };
     if
     :: more -> more = false; take_token()  /* somebody was faster; the token is on its way */
     :: else
     fi
  :: else ->
end_parked:
     take_token()
  fi
}

/* Any source. Nothing is always possible, as a try_lock may fail. */
inline take_something()
{
  if
  :: atomic { under_lock && visible(0) -> head[0]++; seen = true }
  :: atomic { under_lock && visible(1) -> head[1]++; seen = true }
  :: atomic { under_lock && visible(2) -> head[2]++; seen = true }
#if INSERTS
  :: atomic { under_lock && claimable > 0 -> claimable--; seen = true }
#endif
  :: true
  fi
}
