// SPDX-License-Identifier: Apache-2.0
/* A fork in a splice: its owner walks a column of a row and a thief takes the rest. Edge D50.
 *
 * Two threads of two calls each, A0 B0 and A1 B1 in the loop's order: A0, B0, A1, B1. A call of thread 1 depends on any of those
 * of thread 0, as `depends` says; the search tries all. The owner forks: it walks column A and says that it is over; the
 * other branch, column B, is run by whoever claims it. A thief that sees that column A is over uses the owner's
 * splicer; else it steals from it: it copies the calls, and to its copies the owner's calls are never over, until the two meet
 * after the join.
 *
 * The owner's store and the thief's load of OVER are those of src/splice/lane_fork.hpp, which all walks of a splice use. What a
 * lane of trees or tiles shares between its halves is less: WALKED alone.
 *
 * Each call is run once, after all it depends on. A splicer is used by one strand at a time, which sees what the one
 * before did. All calls have been run in the end.
 *
 * Mutants: OVER_FIRST     the owner says so before it is done with the column
 *          NO_LOOK        the thief uses the owner's splicer in any case
 *          FOREIGN_OVER   the thief takes the owner's calls for over
 *          STOLEN_READY   the owner takes calls that were stolen for over
 *          NO_STRANDED    meet() forgets the calls that wait for the owner's
 *          NO_WAKE        meet() forgets the owner's that wait for the thief's
 *          MEET_EARLY     the owner meets the thief before that is done
 */
#define THREADS 2
#define BUFFER 4
#define OVER 0
#define WALKED 1  /* what the owner has written in its splicer, at last */
#define CELLS 2
#include "tso.pml"

#define A0 0
#define B0 1
#define A1 2
#define B1 3
#define bit(call) (1 << (call))
#define NOBODY 9
#define STRANDED 8

mtype = { latent, taken, kept, returned };
mtype frame = latent;     /* of column B; claims drain */
byte depends[4];          /* bits of calls; constant */
bool thief_has;           /* B0 and B1 are copies; written by the thief, read after the join */
byte waits[4] = NOBODY;   /* in the list of that call */
byte over_of[2];          /* what is over, by splicer: the owner's, the thief's */
byte done;                 /* ghost: calls that have been run */
byte inside[2];           /* ghost: strands that use a splicer */

inline execute(call)
{
  assert((done & bit(call)) == 0);
  assert((depends[call] & ~done) == 0);
  done = done | bit(call)
}

/* What is in the way of a call, in splicer s. */
#ifdef FOREIGN_OVER
#define foreign_over(s) (s == 1 -> bit(A0) | bit(A1) : 0)
#elif defined(STOLEN_READY)
#define foreign_over(s) (s == 0 && frame == taken -> bit(B0) | bit(B1) : 0)
#else
#define foreign_over(s) 0
#endif
#define in_the_way(call, s) (depends[call] & ~(over_of[s] | (foreign_over(s))))
#define mine(call, s) ((s) == 0 || (call) == B0 || (call) == B1)

/* In the list of one of its own splicer's that is in the way; stranded if one is another's. */
inline watch(call, s)
{
  if
  :: (in_the_way(call, s) & bit(A0)) && !mine(A0, s) -> waits[call] = STRANDED
  :: (in_the_way(call, s) & bit(B0)) && !((in_the_way(call, s) & bit(A0)) && !mine(A0, s)) -> waits[call] = B0
  :: in_the_way(call, s) == bit(A0) && mine(A0, s) -> waits[call] = A0
  fi
}

inline try_again(call, s)
{
  if
  :: in_the_way(call, s) == 0 ->
     waits[call] = NOBODY;
     execute(call);
     over_of[s] = over_of[s] | bit(call)
  :: else -> watch(call, s)
  fi
}

/* Nobody waits for calls of thread 1 here. */
inline finish(call, s)
{
  over_of[s] = over_of[s] | bit(call);
  if
  :: waits[A1] == call && (s == 0) -> try_again(A1, s)
  :: else
  fi;
  if
  :: waits[B1] == call -> try_again(B1, s)
  :: else
  fi
}

inline arrive(call, s)
{
  inside[s]++;
  atomic {
    assert(inside[s] == 1);
    if
    :: in_the_way(call, s) == 0 -> execute(call); finish(call, s)
    :: else -> watch(call, s)
    fi
  };
  inside[s]--
}

inline meet()
{
  atomic {
    assert(inside[0] == 0 && inside[1] == 0);
    if
    :: over_of[1] & bit(B0) ->
#ifdef NO_WAKE
       over_of[0] = over_of[0] | bit(B0)
#else
       finish(B0, 0)
#endif
    :: else
    fi;
    if :: over_of[1] & bit(B1) -> over_of[0] = over_of[0] | bit(B1) :: else fi;
#ifndef NO_STRANDED
    if :: waits[B1] == STRANDED -> try_again(B1, 0) :: else fi
#endif
  }
}

active proctype owner()
{
  byte me = _pid - THREADS;
  atomic {
    if :: depends[A1] = 0 :: depends[A1] = bit(A0) :: depends[A1] = bit(B0) :: depends[A1] = bit(A0) | bit(B0) fi;
    if :: depends[B1] = 0 :: depends[B1] = bit(A0) :: depends[B1] = bit(B0) :: depends[B1] = bit(A0) | bit(B0) fi;
    frame = kept  /* pushed: from here on a thief may claim it */
  };
#ifdef OVER_FIRST
  store(OVER, 1);
#endif
  arrive(A0, 0);
  arrive(A1, 0);
  store(WALKED, 1);
#ifndef OVER_FIRST
  store(OVER, 1);
#endif
  if
  :: atomic { drained(me) && frame == kept -> frame = returned };
     arrive(B0, 0);
     arrive(B1, 0)
#ifdef MEET_EARLY
  :: drained(me) && frame == taken
#endif
  :: drained(me) && frame == returned
  fi;
  if
  :: thief_has -> meet()
  :: else
  fi;
  assert(done == 15)
}

active proctype thief()
{
  byte me = _pid - THREADS;
  byte seen;
end:
  atomic { drained(me) && frame == kept -> frame = taken };
#ifdef NO_LOOK
  seen = 1;
#else
  load(seen, OVER);
#endif
  if
  :: seen ->
     load(seen, WALKED);
     assert(seen);
     arrive(B0, 0);
     arrive(B1, 0)
  :: else ->
     thief_has = true;
     arrive(B0, 1);
     arrive(B1, 1)
  fi;
  atomic { drained(me) -> frame = returned }
}
