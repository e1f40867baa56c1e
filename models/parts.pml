// SPDX-License-Identifier: Apache-2.0
/* Parts of an observed strand that are not observed, in one worker's deque: docs/protocols/trace_cursors.md. Edge D22 (the
 * position of a frame before a thief of the observed region takes it).
 *
 * One owner, THIEVES thieves, FORKS frames in every nesting. Each frame that is pushed while the strand is observed may begin a
 * part: what is pushed from then on is told of nowhere, and belongs to a hidden region, which is that of the slots from `first`
 * on. The pop gate is the higher one of head and first. At the frame's pop its right branch may run in the part as well.
 * Instead, an exception may end the part. At any push the owner may look into its part, and at any time its frames may be
 * listed, as when its strand leaves the worker.
 *
 * Each frame must be run exactly once. A pop of the part's own frame must meet the gate. A thief of a frame in the observed
 * region finds its position. No frame of the hidden region is in a list or at a thief when the part ends.
 *
 * The push gate is left out, because all that it does is delay the owner: here each push goes on at once, and may look. Stolen
 * frames are waited for in place; deque.pml has the other strand.
 *
 *   FENCE   the fallback without membarrier: thief raises `head` and looks, the owner fences and reads it; no gates
 * Mutants: NO_FLOOR        the gate is head, whoever opens it
 *          STEAL_NO_FLOOR  a thief opens it at head
 *          LOOK_UNTOLD     after a look, the gate stays as it was
 *          LOOK_STOLEN     looks into a part of which a frame has been stolen
 *          LOOK_MOVED      looks into a part whose deque began anew
 *          LOOK_UNLOCKED   a look does not take the lock
 *          LOOK_UNNUMBERED a look moves `first` before the frames have positions, and not in one critical section
 *          PART_FIRST      the part begins before its own frame has its position
 *          RIGHT_ABOVE     the right branch runs in the part, and `first` stays
 *          LOWER_UNLOCKED  `first` is lowered for the right branch without the lock
 *          KEEP_SEEN       pops and the end of a part leave tail_seen as it was
 *          BY_TAIL         thieves in the observed region go by tail alone
 */
#ifndef FORKS
#define FORKS 3
#endif
#ifndef THIEVES
#define THIEVES 1
#endif
#define THREADS (1 + THIEVES)
#define BUFFER (6 * FORKS + 6)
#define BASE 1  /* the first slot; BASE - 1 is the tail that a pop leaves when it underflows */

#define TAIL 0
#define HEAD 1
#define GATE 2  /* head_gate_beneath */
#define LOCK 3
#define SEEN 4  /* tail_seen */
#define SLOT 5
#define NUMBER (SLOT + FORKS - 1)  /* NUMBER + frame */
#define CELLS (NUMBER + FORKS + 1)
#define SHUT_GATE 255

#include "tso.pml"

mtype = { absent, latent, listed, claimed, finished, dead };
mtype frame[FORKS + 1] = absent;
bool in_part[FORKS + 1];  /* what has left the deque belongs to the hidden region */
/* Under LOCK. */
bool apart;              /* the strand is in a part; */
byte first;               /* whose scope begins there; 0: in none */

#define belongs_to_part(slot) (apart && (slot) >= first)
#ifdef NO_FLOOR
#define gate_at(bound) (bound)
#else
/* The higher one. */
#define gate_at(bound) (bound + (first > bound) * (first - bound))
#endif
#ifdef STEAL_NO_FLOOR
#define gate_for_thief(bound) (bound)
#else
#define gate_for_thief(bound) gate_at(bound)
#endif

inline set_gate(bound)
{
#ifdef FENCE
  skip
#else
  store(GATE, gate_at(bound))
#endif
}

/* Under LOCK. */
inline begin_anew()
{
  store(TAIL, BASE);
  store(SEEN, BASE);
  store(HEAD, BASE);
  d_step { moved = true; if :: apart -> first = BASE :: else fi };
  set_gate(BASE)
}

/* Under LOCK: the strand is observed again. */
inline leave_part()
{
  d_step {
    apart = false; first = 0;
    part = 0; right = false; base = 0; moved = false;
    for (i : 1 .. FORKS) {
      assert(!in_part[i] || frame[i] == dead)
    }
    i = 0
  };
#ifndef KEEP_SEEN
  load(bound, TAIL);
  store(SEEN, bound);
#endif
  load(bound, HEAD);
  set_gate(bound)
}

inline begin_part()
{
  lock(LOCK);
  d_step { apart = true; first = t + 1; part = forks; right = false; moved = false };
  load(bound, HEAD);
  set_gate(bound);
  unlock(LOCK)
}

#ifdef LOOK_STOLEN
#define none_stolen true
#else
#define none_stolen (bound <= first)
#endif
#ifdef LOOK_MOVED
#define stayed true
#else
#define stayed (!moved)
#endif

/* The newest push is at t. The forks from `first` up to that one get their positions, and the newest of them has the part. */
inline look()
{
#ifdef LOOK_UNLOCKED
  skip;
#else
  lock(LOCK);
#endif
  load(bound, HEAD);
  if
  :: stayed && none_stolen && first < t ->
#ifdef LOOK_UNNUMBERED
     d_step { at = first; first = t };
     unlock(LOCK);
#else
     at = first;
#endif
     do
     :: at < t ->
        load(f, SLOT + at - BASE);
        store(NUMBER + f, 1);
        d_step { part = f; right = false; at++ }
     :: else -> break
     od;
     first = t;
     d_step { at = 0; f = 0 };
#ifdef LOOK_UNNUMBERED
     lock(LOCK);
#endif
#ifndef LOOK_UNLOCKED
     unlock(LOCK);
#endif
#ifndef LOOK_UNTOLD
     lock(LOCK);
     load(bound, HEAD);
     set_gate(bound);
     unlock(LOCK)
#endif
  :: else ->
#ifndef LOOK_UNLOCKED
     unlock(LOCK)
#endif
  fi
}

/* A pop that met the gate, tail being lowered. */
inline take_newest()
{
#ifndef KEEP_SEEN
  store(SEEN, t);
#endif
#ifdef FENCE
  fence();
  load(bound, HEAD);
  if
  :: t >= bound -> mine = true
  :: else ->
#endif
     lock(LOCK);
     load(bound, HEAD);
     if
     :: t >= bound -> mine = true; set_gate(bound)
     :: else -> mine = false; begin_anew()  /* nothing lies between head and tail */
     fi;
     unlock(LOCK)
#ifdef FENCE
  fi
#endif
}

/* Where the frame is not in the deque. */
inline take_back()
{
  assert(frame[f] == listed || frame[f] == claimed || frame[f] == finished);
  if
  :: atomic { drained(me) && mem[LOCK] == 0 && frame[f] == listed -> mine = true; frame[f] = latent }
  :: frame[f] != listed
  fi
}

inline end_branch()
{
  if
  :: mine -> d_step { assert(frame[f] == latent); frame[f] = dead }
  :: else -> d_step { frame[f] == finished -> frame[f] = dead }
  fi
}

proctype owner(byte me)
{
  byte open[FORKS];  /* the frames on the C++ stack, innermost last */
  byte depth;
  byte forks;
  byte part;         /* whose part the strand is in */
  bool right;        /* its right branch runs, */
  byte base;         /* with so many frames open below */
  bool moved;        /* the deque began anew since the part began */
  byte t, bound, f, at, i;
  bool mine;

  do
  :: forks < FORKS ->  /* push */
     d_step { forks++; frame[forks] = latent; open[depth] = forks; depth++ };
     load(t, TAIL);
     store(SLOT + t - BASE, forks);
     store(TAIL, t + 1);
     if
     :: part == 0 ->
#ifdef PART_FIRST
        if
        :: begin_part(); store(NUMBER + forks, 1)
        :: store(NUMBER + forks, 1); store(SEEN, t + 1)
        fi
#else
        store(NUMBER + forks, 1);
        store(SEEN, t + 1);
        if
        :: begin_part()
        :: true
        fi
#endif
     :: part != 0 ->
        if
        :: look()
        :: true
        fi
     fi;
     d_step { t = 0; bound = 0 }

  :: depth > (right -> base : 0) ->  /* pop */
     d_step { depth--; f = open[depth]; open[depth] = 0 };
     load(t, TAIL);
     t--;
     store(TAIL, t);
#ifndef KEEP_SEEN
     if
     :: part == 0 -> store(SEEN, t)
     :: else
     fi;
#endif
#ifdef FENCE
     bound = SHUT_GATE;
#else
     load(bound, GATE);
#endif
     if
     :: t >= bound ->
        assert(part != f);  /* the part would go on */
        d_step { assert(frame[f] == latent); frame[f] = dead }
     :: t < bound && part == f && !right ->
        if
        :: /* the right branch runs in the part, unless it has been taken, or is not to run so */
#ifdef RIGHT_ABOVE
           moved = false;
#else
#ifdef LOWER_UNLOCKED
           d_step { first = t; moved = false };
#else
           lock(LOCK);
           d_step { first = t; moved = false };
           unlock(LOCK);
#endif
#endif
           take_newest();
           if
           :: mine
           :: else -> take_back()
           fi;
           if
           :: mine ->
              d_step { assert(frame[f] == latent); frame[f] = dead; right = true; base = depth }
           :: true ->
              lock(LOCK);
              leave_part();
              unlock(LOCK);
              end_branch()
           fi
        :: /* the left branch threw */
           lock(LOCK);
           leave_part();
           unlock(LOCK);
#ifndef KEEP_SEEN
           store(SEEN, t);
#endif
#ifdef FENCE
           bound = SHUT_GATE;
#else
           load(bound, GATE);
#endif
           if
           :: t >= bound -> mine = true
           :: else ->
              take_newest();
              if
              :: mine
              :: else -> take_back()
              fi
           fi;
           end_branch()
        fi
     :: t < bound && (part != f || right) ->
        take_newest();
        if
        :: mine
        :: else -> take_back()
        fi;
        end_branch()
     fi;
     d_step { t = 0; bound = 0; f = 0; mine = false }

  :: right && depth == base ->  /* the right branch ends */
     lock(LOCK);
     leave_part();
     unlock(LOCK);
     bound = 0

  :: depth > 0 ->  /* the strand leaves: what it has pushed goes to a list, and its deque begins anew */
     lock(LOCK);
     load(at, HEAD);
     load(t, TAIL);
     if
     :: at < t ->
        do
        :: at < t ->
           load(f, SLOT + at - BASE);
           d_step {
             assert(frame[f] == latent);
             frame[f] = listed;
             in_part[f] = belongs_to_part(at);
             at++
           }
        :: else -> break
        od;
        begin_anew()
     :: else
     fi;
     unlock(LOCK);
     d_step { at = 0; t = 0; f = 0 }

  :: depth == 0 && !right -> break
  od;

  lock(LOCK);
  assert(part == 0 && !apart);
  assert(mem[TAIL] == BASE && mem[HEAD] == BASE);
#ifndef FENCE
  assert(mem[GATE] == BASE);
#endif
  unlock(LOCK);
  for (f : 1 .. FORKS) {
    assert(frame[f] == dead || (frame[f] == absent && f > forks))
  }
}

#if FORKS > 3
#define fourth_listed frame[4] == listed
#else
#define fourth_listed false
#endif
#define any_listed (frame[1] == listed || frame[2] == listed || frame[3] == listed || fourth_listed)

/* Under LOCK. */
inline take_listed()
{
  if
  :: frame[1] == listed -> f = 1
  :: frame[2] == listed -> f = 2
  :: frame[3] == listed -> f = 3
#if FORKS > 3
  :: frame[4] == listed -> f = 4
#endif
  fi;
  frame[f] = claimed
}

/* What is claimed of the observed region counts on from its position. */
inline check_number()
{
  load(t, NUMBER + f);
  assert(in_part[f] || t == 1)
}

/* Under LOCK: up to where a thief may take frames. */
inline load_tail()
{
  load(t, TAIL);
#ifndef BY_TAIL
  if
  :: apart
  :: else -> load(seen, SEEN); d_step { t = (seen < t -> seen : t); seen = 0 }
  fi
#endif
}

inline claim_head()
{
#ifdef FENCE
  store(HEAD, h + 1);
  fence();
#else
  store(GATE, SHUT_GATE);
  membarrier();
#endif
  load_tail();
  if
  :: t <= h ->  /* the owner was first */
#ifdef FENCE
     store(HEAD, h)
#else
     store(GATE, gate_for_thief(h))
#endif
  :: else ->
     load(f, SLOT + h - BASE);
     d_step { assert(frame[f] == latent); frame[f] = claimed; in_part[f] = belongs_to_part(h) };
     check_number();
#ifndef FENCE
     store(HEAD, h + 1);
     store(GATE, gate_for_thief(h + 1))
#endif
  fi
}

proctype thief(byte me)
{
  bool taken;
  byte h, t, f, seen;

  do
  :: try_lock(LOCK, taken);
     if
     :: !taken
     :: else ->
        load(h, HEAD);
        load(t, TAIL);
        if
        :: any_listed -> atomic { take_listed() }; check_number()
        :: !any_listed && t > h -> claim_head()
        :: !any_listed && t <= h
        fi;
        unlock(LOCK);
        if
        :: f != 0 -> d_step { frame[f] = finished; f = 0 }
        :: else
        fi
     fi;
     d_step { taken = false; h = 0; t = 0 }
  :: break  /* nobody has to steal */
  od
}

init
{
  atomic {
    mem[TAIL] = BASE;
    mem[HEAD] = BASE;
    mem[GATE] = BASE;
    mem[SEEN] = BASE;
    run owner(0);
    run thief(1);
#if THIEVES > 1
    run thief(2)
#endif
  }
}
