// SPDX-License-Identifier: Apache-2.0
/* Workers of a color that wait for work, as strands that have posted some look for them. Edge D28.
 *
 * WORKERS workers, the first threads, begin to wait ROUNDS times each: a word of their own, then their color's
 * bit. They go on when they are given something, and, with LEAVES, also by themselves, with other work. POSTERS
 * strands post, POSTS times in all, and look for a worker whenever there is a post and the bit is there: they
 * take the bit away, read the words, claim a worker by taking its word, put the bit back and give it what is
 * posted, if that is still there.
 *
 * At rest no post waits while a worker does. (Posters may be busy with work of their own forever. That they
 * take posts themselves in the end is no matter here.)
 *
 * Mutants: LOOK_FIRST   a poster looks at the words, and takes the bit away where it has found nobody
 *          BIT_FIRST    a worker adds the bit before it writes its word
 *   with WORKERS=2 POSTS=3: FORGET_OTHERS (the bit is not put back)
 */
#ifndef WORKERS
#define WORKERS 1
#endif
#ifndef POSTERS
#define POSTERS 2
#endif
#ifndef POSTS
#define POSTS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define THREADS (WORKERS + POSTERS)
#define BUFFER 3  /* a worker's word, as it waits and as it leaves, and as it waits again */
#define BIT 0
#define WAITS 1  /* WAITS + worker */
#define CELLS (WAITS + WORKERS)

#include "tso.pml"

#define NONE 255

byte posts;             /* in the box, whose lock drains */
byte posted;            /* so far */
bool given[WORKERS];    /* it has been donated a part; under the lock of its deque */
bool waiting[WORKERS];  /* ghost */

inline add_bit()
{
  atomic { drained(me) -> mem[BIT] = 1 }
}

active [WORKERS] proctype worker()
{
  byte me = _pid - THREADS;
  byte round;
end:
  do
  :: round < ROUNDS ->
     round++;
#ifdef BIT_FIRST
     add_bit();
     store(WAITS + me, 1);
#else
     store(WAITS + me, 1);
     add_bit();
#endif
     atomic { drained(me); waiting[me] = true }
end_waiting:
     if
     :: atomic { given[me] -> given[me] = false; waiting[me] = false }
#ifdef LEAVES
     :: atomic { waiting[me] -> waiting[me] = false }
#endif
     fi;
     store(WAITS + me, 0)
  od
}

active [POSTERS] proctype poster()
{
  byte me = _pid - THREADS;
  byte w, seen, found = NONE;
end:
  do
  :: atomic { posted < POSTS && drained(me) -> posted++; posts++ }
  :: posts > 0 && mem[BIT] == 1 ->
#ifndef LOOK_FIRST
     atomic { drained(me) -> mem[BIT] = 0 }
#endif
     w = 0;
     do
     :: w < WORKERS ->
        load(seen, WAITS + w);
        if
        :: seen == 1 ->
           atomic {
             drained(me) ->
             if
             :: mem[WAITS + w] == 1 -> mem[WAITS + w] = 0; found = w; w = 0; break
             :: else -> w++
             fi
           }
        :: else -> w++
        fi
     :: else -> w = 0; break
     od;
     seen = 0;
     if
     :: found != NONE ->
#if !defined FORGET_OTHERS && !defined LOOK_FIRST
        atomic { drained(me) -> mem[BIT] = 1 };
#endif
        atomic { drained(me) -> posts = 0; given[found] = true; found = NONE }
     :: else ->
#ifdef LOOK_FIRST
        atomic { drained(me) -> mem[BIT] = 0 }
#else
        skip
#endif
     fi
  od
}

active proctype at_rest()
{
  timeout ->
  assert(posts == 0 || !waiting[0]);
#if WORKERS > 1
  assert(posts == 0 || !waiting[1])
#endif
}
