// SPDX-License-Identifier: Apache-2.0
/* The record of a beaten thread, which a late signal may still look for. Edge D44.
 *
 * OWNERS threads begin and end the beats of BEATEN others, TAKES times in all, all in one place of the pool: take(),
 * start, stop, put(). While a source is started the kernel may send its thread a signal, and one that was sent arrives
 * at some moment, maybe long after the source was stopped and the place taken anew, maybe for another thread. The
 * handler runs on the thread that the signal was sent to.
 *
 * A handler uses the record only while it is whole and its owner's, and on the thread that it is of; nobody else uses it
 * meanwhile; its owner, as it puts it back, sees every beat counted that any handler counted.
 *
 *   DESCRIPTORS  signals carry the number of a file descriptor, which is the same each time, rather than a ticket
 * Mutants: RELEASE_TICKET  put() takes the ticket away with a release store only, and does not wait for it to arrive
 *          WAIT_FIRST      put() looks who is inside before it takes the ticket away
 *          NO_WAIT         it does not look
 *          COUNT_LATE      a handler reads the ticket before it counts itself
 *          LEAVE_EARLY     it is no longer counted when it writes
 *          FILL_LATE       take() stores the ticket before the rest
 *          FREE_EARLY      put() frees the place before it has read the counts
 *   with BEATEN=1: SAME_TICKET (a place has the same ticket each time)
 *   with DESCRIPTORS: ANY_THREAD (whose record it is, is not asked)
 *                     DESCRIPTOR_FIRST (the descriptor is stored before what the source keeps)
 *                     with BEATEN=1, ONE_LOOK (a descriptor that was found is not looked at again once the handler is
 *                     counted)
 */
#ifndef OWNERS
#define OWNERS 2
#endif
#ifndef TAKES
#define TAKES 2
#endif
#ifndef BEATEN
#define BEATEN 2
#endif
#define THREADS (OWNERS + BEATEN)
#define BUFFER 7  /* what an owner writes between two operations that drain */

#define TICKET 0
#define INSIDE 1
#define THREAD 2      /* of the record */
#define COUNT 3       /* beats delivered */
#define KEPT 4        /* what the source keeps */
#define DESCRIPTOR 5
#define CELLS 6

#include "tso.pml"

#define NOBODY 255
#define NONE 0
#define FREE 0
#define GONE 255

byte takes;             /* so far */
byte taken;             /* ghost: which one has the place */
bool started[TAKES + 1];
bool sent[TAKES + 1];
byte delivered;         /* ghost: of the record as it is now */
byte user = NOBODY;     /* ghost: who uses the record beyond its atomics */

#ifdef SAME_TICKET
#define TICKET_OF(n) 1
#else
#define TICKET_OF(n) n
#endif
#define THREAD_OF(n) (OWNERS + (n) % BEATEN)

inline take()
{
  atomic { drained(me) && mem[TICKET] == FREE && takes < TAKES -> mem[TICKET] = GONE; takes++; mine = takes; taken = takes };
#ifdef FILL_LATE
  store(TICKET, TICKET_OF(mine));
#endif
  d_step { assert(user == NOBODY); delivered = 0 };
  store(THREAD, THREAD_OF(mine));
  store(KEPT, NONE);
  store(COUNT, 0);
#ifndef FILL_LATE
  store(TICKET, TICKET_OF(mine))
#endif
}

inline start()
{
#ifdef DESCRIPTOR_FIRST
  store(DESCRIPTOR, 1);
  store(KEPT, mine);
#else
  store(KEPT, mine);
#ifdef DESCRIPTORS
  store(DESCRIPTOR, 1);
#endif
#endif
  started[mine] = true
}

inline put()
{
#ifdef WAIT_FIRST
  mem[INSIDE] == 0;
#endif
#ifdef RELEASE_TICKET
  store(TICKET, GONE);
#else
  atomic { drained(me) -> mem[TICKET] = GONE };
#endif
#if !defined NO_WAIT && !defined WAIT_FIRST
  mem[INSIDE] == 0;
#endif
#ifdef FREE_EARLY
  store(TICKET, FREE);
#endif
#ifdef DESCRIPTORS
  store(DESCRIPTOR, NONE);
#endif
  d_step { assert(user == NOBODY); started[mine] = false };
  load(seen, COUNT);
  d_step { assert(seen == delivered); seen = 0 };
#ifndef FREE_EARLY
  store(TICKET, FREE)
#endif
}

active [OWNERS] proctype owner()
{
  byte me = _pid - THREADS;
  byte seen, mine;
end:
  do
  :: take(); start(); put(); mine = NONE
  od
}

/* The kernel keeps one signal for each source. */
#define SEND(n) atomic { started[n] && !sent[n] -> sent[n] = true }

active proctype kernel()
{
end:
  do
  :: SEND(1)
  :: SEND(2)
#if TAKES > 2
  :: SEND(3)
#endif
  od
}

inline count_in() { atomic { drained(me) -> mem[INSIDE] = mem[INSIDE] + 1 } }
inline count_out() { atomic { drained(me) -> mem[INSIDE] = mem[INSIDE] - 1 } }

inline use()
{
  load(seen, THREAD);
  if
#ifndef ANY_THREAD
  :: seen != me
#endif
  :: else ->
     d_step { assert(seen == me); assert(user == NOBODY); user = me; seen = 0 };
#ifdef DESCRIPTORS
     load(seen, KEPT);
     d_step { assert(seen == ticket); seen = 0 };
#else
     assert(taken == signal);
#endif
     load(seen, COUNT);
#ifdef LEAVE_EARLY
     count_out();
     left = true;
#endif
     store(COUNT, seen + 1);
     d_step { delivered++; user = NOBODY; seen = 0 }
  fi
}

inline on_signal()
{
#ifdef DESCRIPTORS
  load(seen, DESCRIPTOR);
  if
  :: seen == 1 -> seen = 0; load(ticket, TICKET)
  :: else
  fi;
#else
  ticket = TICKET_OF(signal);
#endif
  if
  :: ticket == NONE || ticket == GONE
  :: else ->
#ifndef COUNT_LATE
     count_in();
#endif
     load(seen, TICKET);
#ifdef COUNT_LATE
     count_in();
#endif
     if
     :: seen == ticket ->
        seen = 0;
#if defined DESCRIPTORS && !defined ONE_LOOK
        load(seen, DESCRIPTOR);
        if
        :: seen == 1 -> seen = 0; use()
        :: else
        fi
#else
        use()
#endif
     :: else
     fi;
     if
     :: left -> left = false
     :: else -> count_out()
     fi
  fi
}

#define ARRIVES(n) atomic { sent[n] && THREAD_OF(n) == me -> sent[n] = false; signal = n }

active [BEATEN] proctype beaten()
{
  byte me = _pid - THREADS - 1;
  byte seen, ticket, signal;
  bool left;  /* only the mutant's */
end:
  do
  :: if
     :: ARRIVES(1)
     :: ARRIVES(2)
#if TAKES > 2
     :: ARRIVES(3)
#endif
     fi;
     on_signal();
     d_step { seen = 0; ticket = NONE; signal = NONE }
  od
}
