/* Sleep and wake, as sleep.pml, home.pml and donation.pml use it.
 *
 * A critical section with at most one access that somebody sees without the lock is one atomic step here: taking a
 * lock moves right past the others' steps, a release that drains moves left. Only `tail` is stored without a lock.
 *
 * Before the include: PUSHES and INSERTS (how many), and OTHER_SOURCE(me) if a sleeper has more to recheck than deques
 * and claimable list, with OTHER_CELLS for it; DONATED(worker) if something that was donated to that worker is for anybody
 * to take. Worker 0 attaches late, if at all; 1 and 2 are there from the start.
 * Each worker process has `byte me, w, seen, chosen = NOBODY` and `bool woken, more`, all at rest between inlines.
 *
 *   FENCE  the fallback without membarrier: the sleeper waits until stores made before its look have surely come
 *          (in the code a millisecond; here their arrival itself), and looks once more
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

#ifndef DONATED
#define DONATED(worker) false
#endif

#define SHUT 0
#define OPEN 255
#define NOBODY 255

byte head[3];           /* under the deque's lock, */
bool wake_asked[3];     /* and so is `a sleeper wants to know of the next push`, */
byte limit[3];          /* and the writes of limit; its owner loads it without */
byte claimable;         /* items in the claimable list; under the list's lock */
bool attached[3];       /* the workers a sleeper knows of; under a lock */
bool asleep[3];         /* the sleeper set; under the set's lock */
byte sleepers;          /* its size; under the set's lock, also looked at without */
bool waking;            /* a wake is in flight; set under the set's lock */
bool token[3];          /* what unpark leaves, also for a worker that is not parked, or not any more */
byte holder = NOBODY;   /* ghost: whose the wake in flight is */
byte pushes;

#define visible(worker) (mem[TAIL + worker] > head[worker])
#define in_sight(worker) (visible(worker) || DONATED(worker))
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

inline unpark(worker)
{
  atomic { drained(me) -> token[worker] = true }
}

/* Any of them. Under the set's lock. */
inline choose()
{
  if
  :: asleep[0] -> chosen = 0
  :: asleep[1] -> chosen = 1
  :: asleep[2] -> chosen = 2
  :: sleepers == 0
  fi;
  if
  :: chosen == NOBODY
  :: else -> asleep[chosen] = false; sleepers--; assert(holder == NOBODY); holder = chosen
  fi
}

inline wake_one()
{
#ifdef FLAG_OUTSIDE_LOCK
  atomic { drained(me) -> more = waking; waking = true };
  if
  :: more -> more = false
  :: else ->
     atomic { under_lock -> choose() };
     if
     :: chosen == NOBODY -> atomic { drained(me) -> waking = false }
     :: else -> unpark(chosen); chosen = NOBODY
     fi
  fi
#else
  atomic {
    under_lock ->
    if
    :: waking  /* its holder is going to look for what the caller has made: see land */
    :: else -> choose(); waking = (chosen != NOBODY)
    fi
  };
  if
  :: chosen == NOBODY
  :: else -> unpark(chosen); chosen = NOBODY
  fi
#endif
}

/* Owner: publish, then compare with the gate. */
inline push()
{
#ifdef LIMIT_BEFORE_TAIL
  seen = limit[me];
#endif
  load(w, TAIL + me);
  store(TAIL + me, w + 1);
#ifndef LIMIT_BEFORE_TAIL
  seen = limit[me];
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
  if
  :: sleepers > 0 -> wake_one()
  :: sleepers == 0
  fi
}

/* One source after the other; the first that has something is enough. */
inline look()
{
#ifdef NO_RECHECK
  skip
#else
  if
#if INSERTS
  :: claimable > 0 -> seen = true
#endif
  :: else ->
     if
     :: attached[0] && in_sight(0) -> seen = true
     :: else ->
        if
        :: in_sight(1) -> seen = true
        :: else -> seen = in_sight(2)
        fi
     fi
  fi
#endif
}

/* Ask for a wake from whoever makes work from now on; then see what was made before. */
inline arm_and_look()
{
#if PUSHES
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
#endif
  look();
#ifdef FENCE
#ifndef NO_SECOND_LOOK
  if
  :: seen
  :: else -> membarrier(); look()
  fi
#endif
#endif
}

/* The wake in flight has landed. Always before a look: producers have skipped theirs because of it. */
inline land()
{
  atomic {
    drained(me) ->
    assert(waking && holder == me);
    waking = false;
    holder = NOBODY;
    woken = false
  }
}

/* Whoever stops searching with the wake in flight: the gates which that wake has opened are armed again for those
 * who sleep on, and work that is left behind wakes the next. */
inline hand_on()
{
  if
  :: !woken
  :: else ->
#ifdef LAND_LATE
     if
     :: sleepers > 0 -> arm_and_look()
     :: sleepers == 0
     fi;
     land();
#else
     land();
     if
     :: sleepers > 0 -> arm_and_look()
     :: sleepers == 0
     fi;
#endif
     if
     :: seen -> seen = false; wake_one()
     :: else
     fi
  fi
}

/* Out of the set. Chosen meanwhile: the wake is this worker's. Otherwise, if it has seen work, it wakes itself, with
 * the duties of the woken, unless another wake is in flight. */
inline withdraw()
{
  atomic {
    under_lock ->
    if
    :: !asleep[me] -> woken = true
    :: else ->
       asleep[me] = false;
       sleepers--;
#ifndef LEAVE_BARE
       if
       :: seen && !waking -> waking = true; holder = me; woken = true
       :: else
       fi
#endif
    fi;
    seen = false
  }
}

/* After a vain search; then the search begins anew. */
inline sleep()
{
  if
  :: woken -> land()  /* and maybe a nap */
  :: else
  fi;
#ifdef NAP_RETURNS
  if
  :: token[me] -> token[me] = false
  :: true ->
#endif
  atomic { under_lock -> asleep[me] = true; sleepers++ };
  arm_and_look();
  if
  :: seen
#ifdef OTHER_SOURCE
  :: !seen && OTHER_SOURCE(me)
  :: !seen && !OTHER_SOURCE(me) ->
#else
  :: else ->
#endif
end_parked:
     atomic { token[me] -> token[me] = false }
  fi;
  withdraw()
#ifdef NAP_RETURNS
  fi
#endif
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
