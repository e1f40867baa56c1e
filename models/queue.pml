// SPDX-License-Identifier: Apache-2.0
/* The local queue of a strand of a work pool, in the deque of its worker. Edge D51: a claim and a publication against a
 * part that is taken.
 *
 * One strand, THIEVES thieves. The strand does items, the latest first. Each item may add others until ITEMS have been
 * made, and all that an item adds is published at its end. Each item must be done exactly once, and read as it was
 * written. After a publication the queue is in the deque if it has published items, and no request is left.
 *
 * Positions begin at one; zero is what a claim that finds nothing leaves. The block has room for all items. Positions are
 * used again. The strand's critical sections are one step, because thieves read nothing without the lock. A thief that
 * finds only items that are not published leaves `limit` shut, and the strand answers. Not modeled: another block, the
 * last use of a block, a strand that leaves its worker, and the fence variant.
 *
 *   BACK    what the strand gives away waits for somebody, and the strand takes it back if nobody has begun it
 *   HIDE    the thief takes the queue out although items are about to be published. This is no fault: the strand sees
 *           the shut gate or the new `room` when it publishes
 * Mutants: NO_BARRIER, SHUT_AFTER  see deque.pml
 *          CLAIM_LATE              a claim stores `tail` when it has looked at `limit`
 *          CLAIM_BLIND             a claim does not look at `limit`
 *          GATE_FIRST              a claim loads `gate` before `limit`
 *          CLAIM_UNLOCKED          a claim that met a gate does not wait for the lock
 *          PUBLISH_LATE            a publication stores `tail` when it has looked
 *          PUBLISH_BLIND           a publication does not look at `limit`
 *          ROOM_FIRST              a publication loads `room` before `limit`
 *          OPEN_EARLY              the thief opens `limit` before it stores `gate` and `room`
 *          KEEP_ROOM               whoever takes the queue out leaves `room` as it was
 *          BACK BACK_IN_TWO        the strand looks whether a part is still there, and then takes it
 *          ITEM_LATE               the strand writes an item after it has published it
 */
#ifndef THIEVES
#define THIEVES 1
#endif
#ifndef ITEMS
#define ITEMS 4
#endif
#define THREADS (1 + THIEVES)
#define BUFFER (6 * ITEMS + 6)

#define LOCK 0
#define LIMIT 1  /* 1: shut */
#define OWN 2
#define TAIL 3
#define GATE 4
#define ROOM 5
#define ITEM 5   /* ITEM + position */
#ifdef BACK
#define PLACES (2 * ITEMS + 2)  /* what comes back has new places */
#else
#define PLACES ITEMS
#endif
#define CELLS (ITEM + PLACES + 2)
#define BLOCK_END (PLACES + 1)

#include "tso.pml"

byte head = 1;       /* under LOCK, as are these */
bool in_deque;
bool wanted;
byte made;           /* items; written by the strand */
byte done;           /* a bit for each item */
byte elsewhere;      /* thieves with a part */
bool begun, over;
byte part_first, part_last;  /* a part that waits: none if they are equal */
bool twice, unseen;  /* what must not be */

inline do_item(item)
{
  d_step {
    twice = (item) == 0 || (done & (1 << (item))) != 0;
    assert(!twice);
    done = done | (1 << (item))
  }
}

#define may_lock (drained(me) && mem[LOCK] == 0)

inline add()
{
  load(own, OWN);
  load(seen, ROOM);
  if
  :: own >= seen ->
     d_step { may_lock -> in_deque = true; mem[ROOM] = BLOCK_END }
  :: else
  fi;
  made++;
#ifndef ITEM_LATE
  store(ITEM + own, made);
  store(OWN, own + 1)
#else
  store(OWN, own + 1);
  store(TAIL, own + 1);
  store(ITEM + own, made)
#endif
}

/* The strand gives the older half to whoever has asked. The items are done by somebody at some time: at once. */
inline answer()
{
  d_step {
    may_lock ->
    if
    :: mem[OWN] > mem[ROOM] -> in_deque = true; mem[ROOM] = BLOCK_END
    :: else
    fi;
    if
    :: wanted ->
       wanted = false;
       mem[LIMIT] = 0;
       if
#ifdef BACK
       :: mem[TAIL] > head && part_first == part_last ->  /* one part at a time is followed */
          part_first = head;
          part_last = head + (mem[TAIL] - head + 1) / 2;
          head = part_last;
          mem[GATE] = head;
          if
          :: mem[OWN] <= head -> in_deque = false; mem[ROOM] = head
          :: else
          fi
#else
       :: mem[TAIL] > head ->
          last = head + (mem[TAIL] - head + 1) / 2;
          do
          :: head < last ->
             assert(mem[ITEM + head] != 0 && (done & (1 << mem[ITEM + head])) == 0);
             done = done | (1 << mem[ITEM + head]);
             head++
          :: else -> break
          od;
          mem[GATE] = head;
          if
          :: mem[OWN] <= head -> in_deque = false; mem[ROOM] = head
          :: else
          fi
#endif
       :: else
       fi
    :: else
    fi;
    last = 0
  }
}

inline publish()
{
  load(own, OWN);
#ifndef PUBLISH_LATE
  store(TAIL, own);
#endif
#ifdef ROOM_FIRST
  load(seen, ROOM);
#endif
#ifndef PUBLISH_BLIND
  load(shut, LIMIT);
#endif
#ifndef ROOM_FIRST
  load(seen, ROOM);
#endif
#ifdef PUBLISH_LATE
  store(TAIL, own);
#endif
  if
  :: shut != 0 || own > seen -> answer()
  :: else
  fi;
  shut = 0;
  if
  :: d_step {
       may_lock ->
       unseen = (mem[TAIL] > head && !in_deque) || wanted;
       assert(!unseen)
     }
  :: true
  fi
}

inline claim()
{
  load(own, OWN);
  own--;
  store(OWN, own);
#ifndef CLAIM_LATE
  store(TAIL, own);
#endif
#ifdef GATE_FIRST
  load(seen, GATE);
#endif
#ifndef CLAIM_BLIND
  load(shut, LIMIT);
#endif
#ifndef GATE_FIRST
  load(seen, GATE);
#endif
#ifdef CLAIM_LATE
  store(TAIL, own);
#endif
  found = true;
  if
  :: shut != 0 || own < seen ->
#ifndef CLAIM_UNLOCKED
     d_step {
       may_lock ->
       if
       :: own < head -> found = false; mem[OWN] = head; mem[TAIL] = head
       :: else
       fi
     };
#else
     d_step {
       if
       :: own < head -> found = false
       :: else
       fi
     };
     if
     :: !found -> store(OWN, head); store(TAIL, head)
     :: else
     fi;
#endif
     load(shut, LIMIT);
     if
     :: found && shut != 0 -> answer()
     :: else
     fi
  :: else
  fi;
  shut = 0
}

/* The items of a part that nobody has begun are added again: twice at most, as they have new places each time. */
inline take_back()
{
  if
  :: backs < 2 ->
#ifdef BACK_IN_TWO
     d_step { first = part_first; last = part_last };
     d_step { part_first = part_last; backs++ }
#else
     d_step { first = part_first; last = part_last; part_first = part_last; backs++ }
#endif
  :: else
  fi;
  d_step {
    if
    :: first == last -> first = 0; last = 0
    :: else
    fi
  }
}

inline add_back()
{
  do
  :: first < last ->
     load(own, OWN);
     load(seen, ROOM);
     if
     :: own >= seen -> d_step { may_lock -> in_deque = true; mem[ROOM] = BLOCK_END }
     :: else
     fi;
     load(item, ITEM + first);
     store(ITEM + own, item);
     store(OWN, own + 1);
     first++
  :: else -> break
  od;
  first = 0;
  last = 0;
  item = 0
}

active proctype strand()
{
  byte me = 0;
  byte own, seen, shut, item, last, first, backs;
  bool found;

  d_step {
    mem[OWN] = 1;
    mem[TAIL] = 1;
    mem[GATE] = 1;
    mem[ROOM] = 1;
    begun = true
  };
  add();
  publish();
  do
  :: claim();
     if
     :: found -> load(own, OWN); load(item, ITEM + own); do_item(item)
#ifdef BACK
     :: else ->
        take_back();
        if
        :: first < last -> add_back(); goto published
        :: else -> break
        fi
#else
     :: else -> break
#endif
     fi;
     do
     :: made < ITEMS -> add()
     :: break
     od;
#ifdef BACK
published:
#endif
     publish()
  od;
  true;  /* It retires the queue. */
  d_step { may_lock -> in_deque = false; wanted = false; mem[LIMIT] = 0; over = true };
  elsewhere == 0 && part_first == part_last;
  assert(done == (1 << (made + 1)) - 2)
}

proctype thief(byte me)
{
  byte first, last, own, item;

end:
  do
#ifdef BACK
  :: atomic { part_first < part_last -> first = part_first; last = part_last; part_first = part_last; elsewhere++ };
     do
     :: first < last -> load(item, ITEM + first); do_item(item); first++
     :: else -> break
     od;
     elsewhere--;
     first = 0;
     last = 0;
     item = 0
#endif
  :: begun && !over && in_deque && !wanted ->
     lock(LOCK);
     if
     :: in_deque && !wanted ->
#ifdef SHUT_AFTER
        membarrier();
        store(LIMIT, 1);
#else
        store(LIMIT, 1);
#ifndef NO_BARRIER
        membarrier();
#endif
#endif
        first = head;
        load(last, TAIL);
        load(own, OWN);
        if
        :: last <= first ->
           last = first;
           if
#ifndef HIDE
           :: own > first -> wanted = true
#endif
           :: else ->
#ifdef OPEN_EARLY
              store(LIMIT, 0);
              drained(me);
#endif
              in_deque = false;
#ifndef KEEP_ROOM
              store(ROOM, first)
#endif
           fi
        :: else ->
#ifdef OPEN_EARLY
           store(LIMIT, 0);
           drained(me);
#endif
           last = first + (last - first + 1) / 2;
           elsewhere++;
           head = last;
           store(GATE, last);
           if
           :: own <= last ->
              in_deque = false;
#ifndef KEEP_ROOM
              store(ROOM, last)
#endif
           :: else
           fi
        fi;
        if
        :: !wanted -> store(LIMIT, 0)
        :: else
        fi
     :: else
     fi;
     unlock(LOCK);
     if
     :: first < last ->
        do
        :: first < last -> load(item, ITEM + first); do_item(item); first++
        :: else -> break
        od;
        elsewhere--
     :: else
     fi;
     first = 0;
     last = 0;
     own = 0;
     item = 0
  od
}

init
{
  atomic {
    run thief(1);
#if THIEVES > 1
    run thief(2)
#endif
  }
}
