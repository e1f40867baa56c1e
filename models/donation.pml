// SPDX-License-Identifier: Apache-2.0
/* Donation: branches that a plan gives to a certain worker. Edges D8, D9.
 *
 * Three workers, of which the first is busy; worker 1 is a guest's seat. DONATIONS frames are donated by the
 * strands that run, each to worker 1 or 2: one that searches, naps, goes to sleep, sleeps, is busy, or has left.
 * Each frame is run once. Whoever is busy may stay busy forever. At rest no frame that a worker may begin with
 * waits for one that sleeps, none that is open to others waits while anybody sleeps, and if all strands have
 * ended, nothing waits.
 *
 * Nobody looks at donations without a lock, but for the hint whether there are any, and nobody pushes: so a
 * critical section is one step, as in idle.pml, and its store buffers stay empty.
 *
 *   STRICT   nobody else may take a donation, unless its worker has left
 *   ORDERED  so, too, and each frame has a number: those of a worker begin in that order. Or a strand of worker 1
 *            waits where it did not when the order was recorded: nothing numbered begins there until it has gone
 *            on, as a frame without a number
 *   GAP      ORDERED, with a number that never comes: once all strands have waited long enough (here: until
 *            nothing moves), the order is given up. What has that number is a strand that has waited and is to go
 *            on in its turn: it counts as one that runs before and after, and not while it is donated
 *   WAITS    a strand of each worker waits once, claims what was donated there, and puts it back
 *   LEAVES   the guest, to whom all is donated, is called home at some moment; RETURNS: it comes back once, with
 *            a strand of its own
 * Mutants: NO_UNPARK      a donor does not wake the worker that it donates to
 *          UNPARK_FIRST   it does so before the donation is in the list
 *          DONATE_UNTOLD  nobody else is told of a donation that is open to others
 *          OPEN_EARLY     whether it is open is asked before the lock is taken for the donation
 *          ENTER_UNTOLD   a worker becomes busy and does not tell of what waits for it
 *          NO_RECHECK     a sleeper does not look at what was donated to others
 *          NO_OWN_LOOK    it does not look at what was donated to it
 *          LOOK_FIRST     it looks before it is among the sleepers
 *          TAKE_IN_TWO    a donation is found under the lock, and taken from the list under it later
 *   with STRICT: SHARE (others take from a busy worker, too)
 *   with LEAVES: NOT_ABANDONED (a seat that was left is as if its worker were idle), ABANDON_UNTOLD (nobody is
 *          told of what waits there), ABANDON_LATE (what waits is looked at before others may have it); STRICT
 *          NO_RECHECK
 *   with ORDERED: NO_TURN (numbers are not looked at), NO_HOLD (nor is who waits)
 *   with GAP: NEVER_GIVE_UP, NO_POLL (a sleeper does not look again at a donation whose turn has not come),
 *          COUNT_DONATED (a strand counts as one that runs while it is donated)
 */
#define PUSHES 0
#define INSERTS 0
#ifdef GAP
#define ORDERED
#endif
#ifdef ORDERED
#define STRICT
#ifndef DONATIONS
#define DONATIONS 3
#endif
#endif
#ifndef DONATIONS
#define DONATIONS 2
#endif
#ifdef RETURNS
#define LEAVES
#endif

#ifdef STRICT
#ifdef SHARE
#define is_open(worker) (abandoned[worker] || busy[worker])
#else
#define is_open(worker) abandoned[worker]
#endif
#else
#define is_open(worker) (abandoned[worker] || busy[worker])
#endif
#define DONATED(worker) (donated[worker] > 0 && is_open(worker))

byte donated[3];   /* the length of a worker's list; under its lock, and as a hint without */
bool busy[3];      /* a strand runs there, for all that a donor knows; under the lock, */
bool abandoned[3];  /* and so is this: its thread has left for good */

#include "idle.pml"

#define NOWHERE 255  /* in no list */
#define ANY 255      /* no number */

mtype = { absent, latent, running, ended };
mtype frame[DONATIONS] = absent;
byte list_of[DONATIONS] = NOWHERE;  /* under that worker's lock */
byte given;
bool leave[3];
bool polls[3];       /* a sleeper looks now and then */
byte strands = 1;    /* ghost: strands that run */
bool vacated;        /* ghost: some seat has been abandoned */
byte role[DONATIONS];  /* the worker that it is for */
#ifdef ORDERED
byte number[DONATIONS];
byte events[3];
bool holds[3];
byte latest[3];      /* ghost: one more than the latest number that has begun */
bool disordered;
byte counted = 1;    /* strands that run, as they count themselves */

#ifdef NO_TURN
#define in_turn(f, worker) true
#elif defined(NO_HOLD)
#define in_turn(f, worker) (disordered || number[f] == ANY || number[f] <= events[worker])
#else
#define in_turn(f, worker) \
  (disordered || number[f] == ANY || (number[f] <= events[worker] && !holds[worker]))
#endif
#else
#define in_turn(f, worker) true
#endif

#define has_turn(f, worker) (list_of[f] == worker && in_turn(f, worker))
#if DONATIONS > 2
#define any_turn(worker) (has_turn(0, worker) || has_turn(1, worker) || has_turn(2, worker))
#elif DONATIONS > 1
#define any_turn(worker) (has_turn(0, worker) || has_turn(1, worker))
#else
#define any_turn(worker) has_turn(0, worker)
#endif
#define may_take(f) (has_turn(f, me) || (list_of[f] != me && list_of[f] != NOWHERE && is_open(list_of[f])))

inline tell_if_seen()
{
  if
  :: seen && sleepers > 0 -> seen = false; wake_one()
  :: else -> seen = false
  fi
}

/* The strand with the number that never comes. */
#ifdef GAP
#define resumed(f) (f == 1)
#endif

inline donate(f, to)
{
#ifdef GAP
  if
  :: resumed(f) ->
     counted++;
#ifndef COUNT_DONATED
     counted--
#endif
  :: else
  fi;
#endif
#ifdef OPEN_EARLY
  seen = is_open(to);
#endif
#ifdef UNPARK_FIRST
  unpark(to);
#endif
  atomic {
    under_lock -> list_of[f] = to; donated[to]++
#ifndef OPEN_EARLY
    ; seen = is_open(to)
#endif
  };
#ifdef DONATE_UNTOLD
  seen = false;
#else
  tell_if_seen();
#endif
#ifndef NO_UNPARK
#ifndef UNPARK_FIRST
  unpark(to)
#endif
#endif
}

/* Under the list's lock. */
inline claim(f)
{
#ifdef TAKE_IN_TWO
  mine = f;
#else
  assert(frame[f] == latent && list_of[f] != NOWHERE);
  donated[list_of[f]]--;
  list_of[f] = NOWHERE;
  mine = f
#endif
}

/* Nothing is always possible in the search, as idle.pml says. */
inline take_donation()
{
  if
  :: atomic { under_lock && may_take(0) -> claim(0) }
#if DONATIONS > 1
  :: atomic { under_lock && may_take(1) -> claim(1) }
#endif
#if DONATIONS > 2
  :: atomic { under_lock && may_take(2) -> claim(2) }
#endif
  :: true
  fi;
#ifdef TAKE_IN_TWO
  atomic {
    if
    :: mine == NOWHERE
    :: else -> if :: list_of[mine] != NOWHERE -> donated[list_of[mine]]-- :: else fi; list_of[mine] = NOWHERE
    fi
  }
#endif
}

/* A strand begins, or goes on: what waits for this worker is others' now. */
inline enter()
{
  atomic { under_lock -> busy[me] = true; seen = DONATED(me) };
#ifdef ENTER_UNTOLD
  seen = false
#else
  tell_if_seen()
#endif
}

inline begin()
{
  atomic {
    assert(frame[mine] == latent);
    frame[mine] = running;
    strands++;
#ifdef ORDERED
#ifdef COUNT_DONATED
    if
    :: resumed(mine)
    :: else -> counted++
    fi;
#else
    counted++;
#endif
#endif
#ifdef STRICT
    assert(me == role[mine] || vacated);
#endif
#ifdef ORDERED
    if
    :: number[mine] == ANY -> holds[role[mine]] = false
    :: else ->
       if
       :: me == role[mine] ->
          assert(disordered || (number[mine] == latest[me] && !holds[me]));
          latest[me] = number[mine] + 1
       :: else
       fi;
       events[me]++
    fi
#else
    role[mine] = 0
#endif
  };
  enter()
}

inline end_strand()
{
  atomic {
    under_lock -> busy[me] = false; strands--;
#ifdef ORDERED
    counted--;
#endif
    if
    :: mine == NOWHERE
    :: else -> frame[mine] = ended; mine = NOWHERE
    fi
  }
}

inline rest()
{
  if
  :: woken ->
     land();
     more = false;
     if  /* a nap takes a token that is there */
     :: token[me] -> token[me] = false
     :: true
     fi
  :: else
  fi;
#ifdef LOOK_FIRST
  arm_and_look();
  atomic { under_lock -> asleep[me] = true; sleepers++ };
#else
  atomic { under_lock -> asleep[me] = true; sleepers++ };
  arm_and_look();
#endif
#ifndef NO_OWN_LOOK
  if
  :: seen
  :: else -> seen = any_turn(me)
  fi;
#endif
  if
  :: seen
#ifdef LEAVES
  :: !seen && leave[me]
  :: !seen && !leave[me] ->
#else
  :: else ->
#endif
#ifdef ORDERED
#ifndef NO_POLL
     polls[me] = (donated[me] > 0);
#endif
#endif
end_parked:
     if
     :: atomic { token[me] -> token[me] = false }
#ifdef ORDERED
     :: polls[me] && any_turn(me)
#endif
     fi;
     polls[me] = false
  fi;
  withdraw()
}

proctype worker(byte me; bool begins)
{
  byte w, seen, chosen = NOBODY, mine = NOWHERE;
  bool woken, more;
#ifdef WAITS
  bool waited;
#endif
#ifdef RETURNS
  bool returned;
#endif

  if
  :: begins -> enter(); goto work
  :: else
  fi;

search:
#ifdef LEAVES
  if
  :: leave[me] -> goto over
  :: !leave[me]
  fi;
#endif
  take_donation();
  if
  :: mine != NOWHERE
  :: else -> rest(); goto search
  fi;
  wake_more();
  begin();

work:
  do
#ifdef ORDERED
  :: me == 0 && mine == NOWHERE ->
     if
     :: given == DONATIONS -> break
     :: atomic { frame[0] == absent -> frame[0] = latent; given++; w = 0 }
     :: atomic { frame[1] == absent -> frame[1] = latent; given++; w = 1 }
#if DONATIONS > 2
     :: atomic { frame[2] == absent -> frame[2] = latent; given++; w = 2 }
#endif
     fi;
     donate(w, role[w]);
     w = 0
#else
  :: atomic {
       given < DONATIONS -> w = given; given++; frame[w] = latent;
       if
       :: role[w] = 1
#ifndef LEAVES
       :: role[w] = 2
#endif
       fi
     };
     donate(w, role[w]);
     w = 0
#ifdef WAITS
  :: atomic { !waited && under_lock -> waited = true; busy[me] = false };
     /* A strand waits. What it claims meanwhile it gives back, once it need not wait any longer. */
     if
     :: atomic { under_lock && list_of[0] == me -> w = 0; list_of[0] = NOWHERE; donated[me]-- };
        donate(0, me)
     :: true
     fi;
     enter()
#endif
#endif
#ifdef ORDERED
  :: mine != NOWHERE -> break
#else
  :: break
#endif
  :: true ->
end_busy_for_ever:
     false
  od;
  end_strand();
  goto search;

#ifdef LEAVES
over:
  wake_more();
#ifdef ABANDON_LATE
  seen = (donated[me] > 0);
  atomic { under_lock -> abandoned[me] = true; vacated = true };
#else
  atomic {
    under_lock -> vacated = true;
#ifndef NOT_ABANDONED
    abandoned[me] = true
#endif
  };
#ifndef ABANDON_UNTOLD
  seen = (donated[me] > 0);
#endif
#endif
  tell_if_seen();
#ifdef RETURNS
  if
  :: atomic { !returned && under_lock -> returned = true; abandoned[me] = false; strands++
#ifdef ORDERED
     ; counted++
#endif
     };
     enter();
     goto work
  :: true
  fi
#endif
#endif
}

#ifdef LEAVES
active proctype call_home()
{
  leave[1] = true;
  token[1] = true
}
#endif

active proctype at_rest()
{
  byte f;
  bool lost_wake, lost;

again:
  timeout ->
#ifdef ORDERED
#ifndef NEVER_GIVE_UP
  if
  :: atomic { !disordered && counted == 0 && (polls[0] || polls[1] || polls[2]) -> disordered = true };
     goto again
  :: else
  fi;
#endif
#endif
  for (f : 0 .. DONATIONS - 1) {
    if
    :: list_of[f] == NOWHERE
    :: else ->
       lost_wake = (asleep[list_of[f]] && in_turn(f, list_of[f])) || (sleepers > 0 && is_open(list_of[f]));
       assert(!lost_wake)
    fi;
    lost = (strands == 0 && sleepers > 0 && frame[f] != ended && frame[f] != absent);
    assert(!lost)
  }
  assert(at_rest_all)
}

init
{
  atomic {
    attached[0] = true;
    attached[1] = true;
    attached[2] = true;
#ifdef ORDERED
    role[0] = 1;
    role[1] = 1;
#ifdef GAP
    number[1] = 2;
#else
    number[1] = 1;
#endif
#if DONATIONS > 2
    if
    :: role[2] = 2
    :: role[2] = 1; number[2] = ANY; holds[1] = true
    fi;
#endif
#endif
    run worker(0, true);
    run worker(1, false);
    run worker(2, false)
  }
}
