// SPDX-License-Identifier: Apache-2.0
/* The deque of one worker: push, pop, steal. Edges D1 (slot before tail), D2 (pop's tail against the thief's gate), D6
 * (gates agree with the bounds whenever the lock is free), D22 (what number a frame has before tail_seen).
 *
 * One owner, two thieves, FORKS frames in every nesting. Each frame must be run exactly once, by the owner or by
 * one thief; a thief touches a frame only after its claim. While a stolen branch is waited for, the owner may run
 * another strand on the same deque: the pops of the outer frames then start from an empty deque.
 *
 *   PLAIN_UNLOCK  see tso.pml: nothing depends on the unlock draining
 *   FENCE         the fallback without membarrier: thief raises `head` and looks, the owner fences and reads it; no gates
 *   ASK           a thief first asks, by shutting the gates, and the owner hands its oldest frame over; the barrier comes
 *                 when the owner is silent (here: at any time)
 *   OBSERVED      an observed region. The owner numbers a frame after it has pushed it, and then says so; thieves take
 *                 nothing beyond. At any push it may instead donate the frame, and list all that are older. The gates
 *                 are those beneath
 * Mutants: NO_BARRIER
 *          SHUT_AFTER        the thief shuts the gates after the barrier
 *          OPEN_OLD          the thief opens the gate of pop at the old bound
 *          OPEN_UNLOCKED     a push opens the gates without the lock
 *          POP_UNLOCKED      a pop that meets the gate does not wait for the lock
 *          TAIL_BEFORE_SLOT  push
 *          KEEP_SLOT         a frame that leaves still says in which slot it is
 *   with FENCE: NO_BARRIER, NO_OWNER_FENCE
 *          NO_RESTORE        a thief that came too late leaves `head` raised
 *   with ASK: HAND_OVER_LAST (a pop hands over the very frame it takes), NO_RECLAIM (a pop that finds its frame gone does not
 *          look whether it is still listed)
 *   with OBSERVED: SEEN_FIRST (the owner says so before it has numbered the frame), KEEP_SEEN (a pop leaves it said),
 *          BY_TAIL (thieves go by tail alone)
 */
#ifndef FORKS
#if defined(ASK) || defined(OBSERVED)
#define FORKS 3
#else
#define FORKS 4
#endif
#endif
#ifdef OBSERVED
#define BUFFER (7 * FORKS + 4)  /* with a number, and tail_seen each time */
#else
#define BUFFER (4 * FORKS + 4)  /* a push stores thrice, a pop once; PLAIN_UNLOCK: and a reset before them four times */
#endif
#define THREADS 3
#define BASE 1  /* the first slot; BASE - 1 is the tail that a pop leaves when it underflows */

#define TAIL 0
#define HEAD 1  /* the real bound: read and written under LOCK (FENCE: read by the owner without it) */
#define GATE 2  /* head_gate, what the owner compares with */
#define LOCK 3
#define LIMIT 4  /* what push compares with */
#define SLOT 5
#define SHUT_GATE 255
#define SHUT_LIMIT 0
#define OPEN_LIMIT 255
#ifdef OBSERVED
#define SEEN (SLOT + BASE + FORKS)  /* tail_seen */
#define NUMBER SEEN                 /* NUMBER + frame */
#define SLOT_OF (SEEN + FORKS)
#else
#define SLOT_OF (SLOT + BASE + FORKS - 1)
#endif
/* SLOT_OF + frame: the slot that the frame says it is in; 0: in none */
#define CELLS (SLOT_OF + 1 + FORKS)

#include "tso.pml"

mtype = { absent, latent, listed, claimed, finished, dead };
mtype frame[FORKS + 1] = absent;  /* frame 0 is the content of a slot never written */
bool wanted;                      /* under LOCK: a thief has asked, */
bool asked;                       /* and there were frames then */

#define open_gate(bound) (wanted && asked -> SHUT_GATE : bound)

inline set_gates(bound)
{
  store(GATE, open_gate(bound));
  store(LIMIT, (wanted -> SHUT_LIMIT : OPEN_LIMIT))
}

/* Under LOCK, by who takes the frame out of the deque. */
inline leave_slot(leaving)
{
#ifdef KEEP_SLOT
  skip
#else
  store(SLOT_OF + leaving, 0)
#endif
}

/* By the owner, under LOCK: it needs no barrier against itself. */
inline hand_over_oldest()
{
  load(oldest, SLOT + bound);
  assert(frame[oldest] == latent);
  frame[oldest] = listed;
  leave_slot(oldest);
  oldest = 0;
  bound++;
  store(HEAD, bound);
  d_step { wanted = false; asked = false }
}

/* The deque is empty, and what is pushed next goes to the bottom. */
inline begin_anew()
{
  store(TAIL, BASE);
#ifdef OBSERVED
  store(SEEN, BASE);
#endif
  store(HEAD, BASE)
}

/* After a push. */
inline compare_limit()
{
#ifdef FENCE
  skip
#else
  load(bound, LIMIT);
  if
  :: t + 1 <= bound
  :: else ->
#ifndef OPEN_UNLOCKED
     lock(LOCK);
#endif
     load(bound, HEAD);
#ifdef ASK
     if
     :: wanted && t + 1 > bound -> hand_over_oldest()
     :: wanted && t + 1 <= bound -> d_step { wanted = false; asked = false }
     :: else
     fi;
#endif
     set_gates(bound);
#ifndef OPEN_UNLOCKED
     unlock(LOCK)
#endif
  fi
#endif
}

/* It is in no list yet; all older ones are from now on. */
inline donate_newest()
{
  store(NUMBER + forks, 1);
  lock(LOCK);
  load(bound, HEAD);
  do
  :: bound < t ->
     load(oldest, SLOT + bound);
     assert(frame[oldest] == latent);
     frame[oldest] = listed;
     leave_slot(oldest);
     oldest = 0;
     bound++
  :: else -> break
  od;
  assert(bound == t && frame[forks] == latent);
  frame[forks] = finished;
  leave_slot(forks);
  begin_anew();
#ifndef FENCE
  set_gates(BASE);
#endif
  unlock(LOCK)
}

proctype owner(byte me)
{
  byte open[FORKS];  /* the frames on this worker's C++ stack, innermost last */
  byte depth;
  byte forks;
  byte waits;        /* the stolen frame a suspended strand waits for */
  byte floor;        /* that strand's frames lie below */
  byte t, bound, f, oldest;

  do
  :: forks < FORKS ->  /* push */
     d_step { forks++; frame[forks] = latent; open[depth] = forks; depth++ };
     load(t, TAIL);
     store(SLOT_OF + forks, t);
#ifdef TAIL_BEFORE_SLOT
     store(TAIL, t + 1);
     store(SLOT + t, forks);
#else
     store(SLOT + t, forks);
     store(TAIL, t + 1);
#endif
#ifdef OBSERVED
     if
     :: donate_newest()
     :: true ->
#ifdef SEEN_FIRST
        store(SEEN, t + 1);
        store(NUMBER + forks, 1);
#else
        store(NUMBER + forks, 1);
        store(SEEN, t + 1);
#endif
        compare_limit()
     fi;
#else
     compare_limit();
#endif
     d_step { t = 0; bound = 0 }

  :: depth > floor ->  /* pop: to the slot of the frame; to 0, below all gates, if it has left */
     d_step { depth--; f = open[depth]; open[depth] = 0 };
     load(t, SLOT_OF + f);
     store(TAIL, t);
#ifdef OBSERVED
#ifndef KEEP_SEEN
     store(SEEN, t);
#endif
#endif
#ifdef FENCE
#ifndef NO_OWNER_FENCE
     fence();
#endif
     load(bound, HEAD);
#else
     load(bound, GATE);
#endif
     if
     :: t >= bound ->
        d_step { assert(frame[f] == latent); frame[f] = dead }
     :: else ->
#ifndef POP_UNLOCKED
        lock(LOCK);
#endif
        load(bound, HEAD);
        if
        :: t == 0 ->  /* all has left, here and where the frame was */
           t = bound - 1;
           store(TAIL, t)
        :: else
        fi;
        if
        :: t >= bound ->  /* a thief has looked, and left it */
#ifdef ASK
           if
#ifdef HAND_OVER_LAST
           :: wanted -> hand_over_oldest()
#else
           :: wanted && t > bound -> hand_over_oldest()
#endif
           :: else
           fi;
           asked = false;
#endif
#ifndef FENCE
           set_gates(bound);
#endif
#ifndef POP_UNLOCKED
           unlock(LOCK);
#endif
           d_step { assert(frame[f] == latent); frame[f] = dead }
        :: else ->
           assert(frame[f] == listed || frame[f] == claimed || frame[f] == finished);
           begin_anew();  /* nothing lies between head and tail */
#ifndef FENCE
           store(GATE, open_gate(BASE));
#endif
#ifndef POP_UNLOCKED
           unlock(LOCK);
#endif
           if
#if defined(ASK) || defined(OBSERVED)
#ifndef NO_RECLAIM
           :: atomic { drained(me) && mem[LOCK] == 0 && frame[f] == listed -> frame[f] = dead }
#endif
#endif
           :: d_step { frame[f] == finished -> frame[f] = dead }
           :: d_step { frame[f] != listed && waits == 0 && forks < FORKS -> waits = f; floor = depth }
           fi
        fi
     fi;
     d_step { t = 0; bound = 0; f = 0 }

  :: d_step { waits != 0 && depth == floor && frame[waits] == finished ->
       frame[waits] = dead; waits = 0; floor = 0 }

  :: depth == 0 && waits == 0 -> break
  od;

  lock(LOCK);
  assert(mem[TAIL] == BASE && mem[HEAD] == BASE);
#ifndef FENCE
  assert(mem[GATE] == open_gate(BASE));
#endif
  unlock(LOCK);
  for (f : 1 .. FORKS) {
    assert(frame[f] == dead || (frame[f] == absent && f > forks))
  }
}

#define any_listed (frame[1] == listed || frame[2] == listed || frame[3] == listed)

/* Under LOCK. Any of them, which is more than the code's oldest. */
inline take_listed()
{
  if
  :: frame[1] == listed -> f = 1
  :: frame[2] == listed -> f = 2
  :: frame[3] == listed -> f = 3
  fi;
  frame[f] = claimed
}

/* Up to where a thief may take frames. */
inline load_tail()
{
  load(t, TAIL);
#ifdef OBSERVED
#ifndef BY_TAIL
  load(seen, SEEN);
  d_step { t = (seen < t -> seen : t); seen = 0 }
#endif
#endif
}

/* What is claimed counts on from its number. */
inline check_number()
{
  load(seen, NUMBER + f);
  d_step { assert(seen == 1); seen = 0 }
}

/* Under LOCK, which it releases. How the claimed branch's end is told is join.pml. */
#ifdef FENCE
inline claim_head()
{
  store(HEAD, h + 1);
#ifndef NO_BARRIER
  fence();
#endif
  load_tail();
  if
  :: t < h + 1 ->  /* the owner was first */
#ifndef NO_RESTORE
     store(HEAD, h);
#endif
     unlock(LOCK)
  :: else ->
     load(f, SLOT + h);
     d_step { assert(frame[f] == latent); frame[f] = claimed };
     leave_slot(f);
#ifdef OBSERVED
     check_number();
#endif
     unlock(LOCK);
     d_step { frame[f] = finished; f = 0 }
  fi
}
#else
/* The owner's next push or pop waits for LOCK. */
inline freeze()
{
#ifndef SHUT_AFTER
  store(GATE, SHUT_GATE);
  store(LIMIT, SHUT_LIMIT);
#endif
#ifdef NO_BARRIER
  fence();
#else
  membarrier();
#endif
#ifdef SHUT_AFTER
  store(GATE, SHUT_GATE);
  store(LIMIT, SHUT_LIMIT);
#endif
}

inline claim_head()
{
  freeze();
  load_tail();
  if
  :: t <= h -> set_gates(h); unlock(LOCK)  /* the owner was first */
  :: else ->
     load(f, SLOT + h);
     d_step { assert(frame[f] == latent); frame[f] = claimed };
     leave_slot(f);
#ifdef OBSERVED
     check_number();
#endif
     store(HEAD, h + 1);
#ifdef OPEN_OLD
     set_gates(h);
#else
     set_gates(h + 1);
#endif
     unlock(LOCK);
     d_step { frame[f] = finished; f = 0 }
  fi
}
#endif

proctype thief(byte me)
{
  bool taken;
  byte h, t, f;
#ifdef OBSERVED
  byte seen;
#endif

  do
  :: try_lock(LOCK, taken);
     if
     :: !taken
     :: else ->
        load(h, HEAD);
#ifndef FENCE
        load(t, GATE);
        assert(t == open_gate(h));  /* whoever holds the lock finds gate and bound agreed */
#endif
        load(t, TAIL);
#ifdef ASK
        if
        :: any_listed -> atomic { take_listed() }; unlock(LOCK); d_step { frame[f] = finished; f = 0 }
        :: !any_listed && (!wanted || (!asked && t > h)) ->
           d_step { wanted = true; asked = (t > h) };
           set_gates(h);
           unlock(LOCK)
        :: !any_listed && wanted && (asked || t <= h) -> unlock(LOCK)  /* asked, and not silent for long */
        :: !any_listed && wanted && asked && t > h -> d_step { wanted = false; asked = false }; claim_head()
        fi
#else
        if
#ifdef OBSERVED
        :: any_listed -> atomic { take_listed() }; unlock(LOCK); d_step { frame[f] = finished; f = 0 }
        :: !any_listed && t <= h -> unlock(LOCK)
        :: !any_listed && t > h -> claim_head()
#else
        :: t <= h -> unlock(LOCK)
        :: else -> claim_head()
#endif
        fi
#endif
     fi;
     d_step { taken = false; h = 0; t = 0 }
  :: break  /* nobody has to steal: the owner must get by without */
  od
}

init
{
  atomic {
    mem[TAIL] = BASE;
    mem[HEAD] = BASE;
    mem[GATE] = BASE;
    mem[LIMIT] = OPEN_LIMIT;
    run owner(0);
    run thief(1);
    run thief(2)
  }
}
