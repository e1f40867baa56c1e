// SPDX-License-Identifier: Apache-2.0
/* Sleep and wake, as sleep.pml, home.pml and donation.pml use it.
 *
 * A critical section with at most one access that somebody sees without the lock is one atomic step here: taking a
 * lock moves right past the others' steps, a release that drains moves left. Only `tail` is stored without a lock.
 *
 * Before the include: PUSHES and INSERTS (how many), and OTHER_SOURCE(me) if a sleeper has more to recheck than deques
 * and claimable list, with OTHER_CELLS for it; DONATED(worker) if something that was donated to that worker is for anybody
 * to take. Worker 0 attaches late, if at all; 1 and 2 are there from the start.
 * Each worker process has `byte me, w, seen, chosen = NOBODY` and `bool woken, more`, all at rest between inlines.
 * GUEST(worker), FOREIGN(worker): whether it takes work of its own region only, which is that of worker 0; and whether the strand
 * on that worker is of another one.
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
#ifndef GUEST
#define GUEST(worker) false
#define FOREIGN(worker) false
#define NO_GUESTS
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
byte in_flight;         /* wakes; raised under the set's lock */
byte watcher = NOBODY;  /* whose wake came in vain, and who naps; written under the set's lock */
bool token[3];          /* what unpark leaves, also for a worker that is not parked, or not any more */
bool carries[3];        /* ghost: whose wakes are in flight */
byte pushes;

#define visible(worker) (mem[TAIL + worker] > head[worker])
#define in_sight(worker) (visible(worker) || DONATED(worker))
#define suits(worker) (in_sight(worker) && (!GUEST(me) || !FOREIGN(worker)))
#define at_rest_all (in_flight == 0 && watcher == NOBODY && !carries[0] && !carries[1] && !carries[2])
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

inline take_out(worker)
{
  asleep[worker] = false;
  sleepers--;
  in_flight++;
  assert(!carries[worker]);
  carries[worker] = true;
  chosen = worker
}

/* Any of those that take any work. Under the set's lock. */
inline choose()
{
  if
  :: asleep[0] && !GUEST(0) -> take_out(0)
  :: asleep[1] -> take_out(1)
  :: asleep[2] -> take_out(2)
  :: !(asleep[0] && !GUEST(0)) && !asleep[1] && !asleep[2]
  fi
}

inline call_chosen()
{
  if
  :: chosen == NOBODY
  :: else -> unpark(chosen); chosen = NOBODY
  fi
}

#define work_of_guest ((in_sight(0) && !FOREIGN(0)) || (in_sight(1) && !FOREIGN(1)) || (in_sight(2) && !FOREIGN(2)))

inline wake_guest(for_it)
{
#ifndef NO_GUESTS
  if
  :: asleep[0] && (for_it) ->
     atomic {
       under_lock ->
       if
       :: asleep[0] -> take_out(0)
       :: else
       fi
     };
     call_chosen()
  :: else
  fi
#else
  skip
#endif
}

/* There is new work. */
inline wake_one()
{
#ifdef FLAG_OUTSIDE_LOCK
  atomic { drained(me) -> more = (in_flight > 0) };
  if
  :: more -> more = false
  :: else ->
     atomic { drained(me) -> in_flight++ };
     atomic {
       under_lock -> choose();
       if
       :: chosen != NOBODY -> in_flight--
       :: else
       fi
     };
     if
     :: chosen == NOBODY -> atomic { drained(me) -> in_flight-- }
     :: else -> call_chosen()
     fi
  fi
#else
  atomic {
    under_lock ->
    if
    :: in_flight > 0 ->  /* its holder is going to look for what the caller has made: see land */
       chosen = watcher;
       watcher = NOBODY
    :: else -> choose(); more = (chosen == NOBODY)
    fi
  };
  call_chosen();
  if
  :: more ->
     more = false;
     /* also if the frame has gone: the gate that the guest has shut is open now */
#ifdef WAKE_FOR_FRAME
     wake_guest(work_of_guest)
#else
     wake_guest(!FOREIGN(me))
#endif
  :: else
  fi
#endif
}

/* By who has seen work. */
inline wake_for_work()
{
  atomic { under_lock -> choose(); more = (chosen == NOBODY) };
  call_chosen();
  if
  :: more -> more = false; wake_guest(work_of_guest)
  :: else ->
     if
     :: atomic { under_lock -> choose() }; call_chosen()
     :: true
     fi
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
#ifndef LIMIT_BEFORE_TAIL
  seen = limit[me];
#endif
  if
  :: w + 1 <= seen
  :: else ->
#ifdef WATCHED_OUTSIDE_LOCK
     more = (watcher != NOBODY);
#endif
     atomic {
       under_lock ->
#ifndef WATCHED_OUTSIDE_LOCK
       more = (watcher != NOBODY);
#endif
       if
       :: more && wake_asked[me] -> more = false  /* the next push decides, with the gate left shut */
       :: more -> more = false; wake_asked[me] = false; limit[me] = OPEN  /* the fork before was over */
       :: more = wake_asked[me]; wake_asked[me] = false; limit[me] = OPEN
       fi
     };
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
     :: attached[0] && suits(0) -> seen = true
     :: else ->
        if
        :: suits(1) -> seen = true
        :: else -> seen = suits(2)
        fi
     fi
  fi
#endif
}

inline shut_all()
{
  if
  :: atomic { under_lock && attached[0] -> arm(0) }
  :: !attached[0]
  fi;
  atomic { under_lock -> arm(1) };
  atomic { under_lock -> arm(2) }
}

/* Ask for a wake from whoever makes work from now on; then see what was made before. */
inline arm_and_look()
{
#if PUSHES
  shut_all();
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

inline look_for_all()
{
  if
#if INSERTS
  :: claimable > 0 -> seen = true
#endif
  :: else -> seen = (attached[0] && in_sight(0)) || in_sight(1) || in_sight(2)
  fi
}

/* The same for all who sleep. */
inline arm_and_look_for_all()
{
#if PUSHES
  shut_all();
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
  look_for_all();
#ifdef FENCE
#ifndef NO_SECOND_LOOK
  if
  :: seen
  :: else -> membarrier(); look_for_all()
  fi
#endif
#endif
}

/* A wake has landed. Always before a look: producers have skipped theirs because of it. `more`: it was the last in flight. */
inline land()
{
  atomic {
    drained(me) ->
    assert(in_flight > 0 && carries[me]);
    in_flight--;
    carries[me] = false;
    more = (in_flight == 0);
    woken = false
  }
}

/* Whoever stops searching with a wake in flight: where work is left behind it wakes two more, who do the same. Where there is
 * none, the last of those in flight arms the gates again for those who sleep on, and looks behind a barrier. A guest looks for
 * others, too. */
inline wake_more()
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
     more = false;
     if
     :: seen -> seen = false; wake_for_work()
     :: else
     fi
#else
     land();
     if
     :: sleepers > 0 && watcher == NOBODY ->
        if
        :: attached[0] && in_sight(0) -> seen = true
        :: in_sight(1) || in_sight(2) -> seen = true
#if INSERTS
        :: claimable > 0 -> seen = true
#endif
        :: else
        fi;
        if
        :: seen -> seen = false; more = false; wake_for_work()
#ifdef NO_LAST_LOOK
        :: else -> more = false
#else
        :: !seen && !more
        :: !seen && more ->
           more = false;
           arm_and_look_for_all();
           if
           :: seen -> seen = false; wake_for_work()
           :: else
           fi
#endif
        fi
     :: else -> more = false
     fi
#endif
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
       :: seen && in_flight == 0 -> in_flight++; carries[me] = true; woken = true
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
#ifdef GUEST_LANDS
  :: woken && GUEST(me) -> land(); more = false
#else
  :: woken && GUEST(me) -> wake_more()
#endif
  :: woken && !GUEST(me) -> land(); more = false
  :: !woken
  fi;
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
}

/* The owner of a wake that came in vain may nap, and look for itself; if it sees nothing, then or later, it gives up. */
inline watch()
{
  if
  :: woken && !GUEST(me) && watcher == NOBODY ->
     atomic {
       under_lock ->
       if
       :: watcher == NOBODY -> watcher = me
       :: else
       fi
     };
     if
     :: watcher == me ->
        shut_all();
        if
        :: atomic { token[me] -> token[me] = false }
        :: true
        fi;
        atomic {
          under_lock ->
          if
          :: watcher == me -> watcher = NOBODY
          :: else
          fi
        }
     :: else
     fi
  :: else
  fi
}

/* Any source. Nothing is always possible, as a try_lock may fail. */
inline take_something()
{
  if
  :: atomic { under_lock && visible(0) && (!GUEST(me) || !FOREIGN(0)) -> head[0]++; seen = true }
  :: atomic { under_lock && visible(1) && (!GUEST(me) || !FOREIGN(1)) -> head[1]++; seen = true }
  :: atomic { under_lock && visible(2) && (!GUEST(me) || !FOREIGN(2)) -> head[2]++; seen = true }
#if INSERTS
  :: atomic { under_lock && claimable > 0 -> claimable--; seen = true }
#endif
  :: true
  fi
}
