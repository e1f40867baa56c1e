// SPDX-License-Identifier: Apache-2.0
/* Posted frames and lists, as mailbox.pml and spin_wait.pml use them: how a frame is passed on, taken back, found.
 *
 * STRANDS strands have one frame each, at one address all the time; BOXES workers, the first threads, a box.
 * A list's critical section is one step, and so is going to sleep: see idle.pml for why. All sleepers are
 * woken at once: that one after the other is enough is the matter of sleep.pml. A look that finds nothing
 * changes nothing, so looks are guards.
 *
 * Before the include: STRANDS, BOXES, THREADS, BUFFER, and OTHER_CELLS if there are more. Each process that
 * calls something here has `byte me, seen`; for pass_on and reclaim also `byte w` and `bool posted, mine`;
 * for next_frame also `byte found = NONE, mail = NONE` and `bool called, leaves`. All but `called`, and
 * what a call is for, are as at the start between calls.
 * The mutants are listed where they apply, in the models.
 */
#define BOX 0  /* BOX + worker */
#define OTHER BOXES
#ifndef OTHER_CELLS
#define OTHER_CELLS 0
#endif
#define CELLS (OTHER + OTHER_CELLS)
#define EMPTY 0
#define CLOSED 1
#define POSTED 2  /* POSTED + frame */

#include "tso.pml"

#define NONE 255

mtype = { ended, latent, running, finished };
mtype frame[STRANDS] = ended;
byte box[STRANDS] = NONE;     /* where its strand has posted it; no other strand's business */
byte holder[STRANDS] = NONE;  /* in whose list it is; written under that list's lock, read without */
bool asleep[BOXES];
bool to_be_had[STRANDS];      /* ghost: it was when its strand asked for it, and nobody has taken it since */

#define under_lock drained(me)

#if STRANDS == 1
#define any_listed (holder[0] != NONE)
#endif
#if STRANDS == 2
#define any_listed (holder[0] != NONE || holder[1] != NONE)
#endif
#if STRANDS == 3
#define any_listed (holder[0] != NONE || holder[1] != NONE || holder[2] != NONE)
#endif

#if BOXES == 1
#define in_some_box(f) (mem[BOX] == POSTED + f)
#define somebody_sleeps (asleep[0])
#endif
#if BOXES == 2
#define in_some_box(f) (mem[BOX] == POSTED + f || mem[BOX + 1] == POSTED + f)
#define somebody_sleeps (asleep[0] || asleep[1])
#endif
#if BOXES == 3
#define in_some_box(f) (mem[BOX] == POSTED + f || mem[BOX + 1] == POSTED + f || mem[BOX + 2] == POSTED + f)
#define somebody_sleeps (asleep[0] || asleep[1] || asleep[2])
#endif

/* At rest. */
#define lost(f) (frame[f] == latent && (holder[f] == NONE || somebody_sleeps))

/* Every access to a frame's stolen state. */
inline touch(f)
{
  assert(frame[f] != ended)
}

inline list(f)
{
  atomic { under_lock -> touch(f); assert(holder[f] == NONE); holder[f] = me }
}

/* Under that list's lock. */
inline unlink(f, list_of)
{
  touch(f);
  assert(holder[f] == list_of);
  holder[f] = NONE
}

/* Any, under its list's lock. */
inline claim_listed(f)
{
  if
  :: holder[0] != NONE -> f = 0
#if STRANDS > 1
  :: holder[1] != NONE -> f = 1
#endif
#if STRANDS > 2
  :: holder[2] != NONE -> f = 2
#endif
  fi;
  unlink(f, holder[f]);
  to_be_had[f] = false
}

inline announce()
{
  d_step {
#if BOXES > 2
    asleep[2] = false;
#endif
#if BOXES > 1
    asleep[1] = false;
#endif
    asleep[0] = false
  }
}

inline open()
{
  store(BOX + me, EMPTY)
}

/* NONE: no frame was posted. */
inline close(taken)
{
#ifdef CLOSE_IN_TWO
  load(taken, BOX + me);
  store(BOX + me, CLOSED);
  d_step {
    drained(me) ->
#else
  d_step {
    drained(me) ->
    taken = mem[BOX + me];
    mem[BOX + me] = CLOSED;
#endif
    if
    :: taken > CLOSED -> taken = taken - POSTED; to_be_had[taken] = false
    :: else -> taken = NONE
    fi
  }
}

inline post(f)
{
#ifdef POST_IN_TWO
  load(seen, BOX + w);
  if
  :: seen == EMPTY -> store(BOX + w, POSTED + f); posted = true
  :: else
  fi;
  seen = 0
#else
  d_step {
    drained(me) ->
    if
    :: mem[BOX + w] == EMPTY -> mem[BOX + w] = POSTED + f; posted = true
    :: else
    fi
  }
#endif
}

inline withdraw(f)
{
#ifdef WITHDRAW_IN_TWO
  load(seen, BOX + w);
  if
  :: seen == POSTED + f -> store(BOX + w, EMPTY); mine = true
  :: else
  fi;
  seen = 0
#else
  d_step {
    drained(me) ->
    if
    :: mem[BOX + w] == POSTED + f -> mem[BOX + w] = EMPTY; mine = true
    :: else
    fi
  }
#endif
}

/* By the strand that opened it. That somebody searches is a hint: it may be missed. */
inline pass_on(f)
{
  if
  :: true ->
     do
     :: w < BOXES && !posted ->
        if
        :: w == me
        :: else ->
#ifndef NO_BOX
           d_step { touch(f); box[f] = w };
#endif
           post(f)
        fi;
        w++
     :: else -> break
     od;
     w = 0;
     if
     :: posted
     :: else -> d_step { touch(f); box[f] = NONE }
     fi
  :: true
  fi;
#ifdef POST_FIRST
  store(READ + f, written[f]);
#endif
  if
  :: posted -> posted = false
  :: else -> list(f); announce()
  fi
}

/* By the strand that opened it, maybe on another worker by now: `mine`. */
inline reclaim(f)
{
  to_be_had[f] = in_some_box(f) || holder[f] != NONE;
  d_step { touch(f); w = box[f] };
  if
  :: w != NONE -> withdraw(f)
  :: else
  fi;
  if
  :: mine
#ifdef BOX_DECIDES
  :: !mine && w != NONE
  :: !mine && w == NONE ->
#else
  :: else ->
#endif
     d_step { touch(f); w = holder[f] };
     if
     :: w == NONE
     :: else ->
        atomic {
          under_lock -> touch(f);
          if
#ifdef HOLDER_ONCE
          :: true ->
#else
#ifdef HOLDER_NULL
          :: holder[f] != NONE ->
#else
          :: holder[f] == w ->
#endif
#endif
             unlink(f, w);
             mine = true
#ifndef HOLDER_ONCE
          :: else
#endif
          fi
        }
     fi
  fi;
  d_step { assert(mine || !to_be_had[f]); to_be_had[f] = false; w = 0 }
}

/* `found`, or the worker `leaves`. */
inline next_frame()
{
  open();
  do
  :: called -> leaves = true; break
  :: drained(me) && mem[BOX + me] > CLOSED ->
#ifndef OPEN_UNSEEN
     close(found);
#ifdef RETURN_ON_WITHDRAWN
     break;
#endif
     if
     :: found != NONE -> break
     :: else
     fi;
#endif
     open()
  :: atomic { under_lock && any_listed -> claim_listed(found) } -> break
  :: true ->  /* it has looked for long enough */
#ifndef SLEEP_OPEN
     close(found);
#endif
#ifdef DROP_POSTED_AT_SLEEP
     found = NONE;
#endif
     if
     :: found != NONE
     :: else ->
        atomic { under_lock -> asleep[me] = !any_listed };
end_asleep:
        if
        :: !asleep[me]
        :: called -> asleep[me] = false
        fi
     fi;
     open();
     if
     :: found != NONE -> break
     :: else
     fi
  od;
#ifndef WORK_OPEN
  close(mail);
#endif
  if
  :: mail == NONE
  :: else ->
#ifndef DROP_POSTED
     list(mail);
#ifdef BOX_AFTER_LIST
     d_step { touch(mail); box[mail] = NONE };
#endif
#ifndef NO_ANNOUNCE
     announce();
#endif
#endif
     mail = NONE
  fi;
  assert(found != NONE || leaves)
}
