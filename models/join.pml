// SPDX-License-Identifier: Apache-2.0
/* The join that waits, and its resumption. Edges D3 (outcomes before the balance) and D4 (nobody is resumed before
 * its context is saved; nobody touches a frame that may have returned).
 *
 * CHILDREN stolen branches, each with a finisher. `balance` counts finishers down and the wait up; it is stored here
 * plus ZERO, as cells are unsigned. Whoever makes the two meet resumes the waiter, which returns: its frame dies.
 *
 *   PIECES  the branches are pieces of a loop, cut off it, or off one another, while they run. The beginner of the loop
 *           holds a count from the start, each piece is expected before its victim can go on, and the wait takes back the
 *           beginner's own count.
 *   GROUP   the branches are children of a group: child 0 was pushed and taken, which nobody expected; each may spawn the next
 *           apart, which it expects before others can have it. The waiter holds more counts than there are children.
 * Mutants: PUBLISH_BEFORE_SWITCH, TOUCH_AFTER, SWITCH_TOUCHES (the next stack reads the frame after its own RMW),
 *          OUTCOME_AFTER (the finisher counts down before its outcome is written)
 *   with PIECES: EXPECT_LATE (a piece is expected when its victim may go on), NO_OWN_COUNT (the beginner's), FINISH_FIRST (a
 *          piece finishes before its frame is retired)
 *   with GROUP: EXPECT_LATE (a child is expected once others can have it), NO_OWN_COUNT (the waiter's)
 */
#ifndef CHILDREN
#define CHILDREN 2
#endif
#define THREADS (CHILDREN + 1)
#define WAITER CHILDREN
#define BUFFER 3

#define BALANCE 0
#define WAITING 1  /* the published waiter: 0, or 1 + its thread */
#define CONTEXT 2  /* 1: the waiter's registers are saved on its stack */
#define OUTCOME 3
#define CELLS (OUTCOME + CHILDREN)

/* `ZERO` is how a balance of zero is stored. */
#ifdef PIECES
#define ZERO 0
#ifdef NO_OWN_COUNT
#define HELD 0
#else
#define HELD 1
#endif
#define AWAITED (0 - HELD)
#elif defined(GROUP)
#define ZERO CHILDREN
#ifdef NO_OWN_COUNT
#define HELD 0
#else
#define HELD (2 * CHILDREN)
#endif
#define AWAITED (1 - HELD)
#else
#define ZERO CHILDREN
#define HELD 0
#define AWAITED CHILDREN
#endif
#define all_came(balance) ((balance) + AWAITED == ZERO)

#include "tso.pml"

bool at_loop[THREADS];  /* it has a loop frame that can be cut */
bool frozen[THREADS];   /* a thief is at that, and the frame cannot be retired */
bool returned;  /* the waiter went on; its frame is gone */
bool listed[CHILDREN];  /* others can have it */
byte expected[CHILDREN];  /* the outcome that the join must see: 0 for a piece that was never cut */
byte resumed;   /* how often the saved context was switched to */

/* Every access to balance, waiter or outcome in the frame. */
inline touch_frame()
{
  assert(!returned)
}

inline add_to_balance(n, old)
{
  atomic { drained(me) -> touch_frame(); old = mem[BALANCE]; mem[BALANCE] = mem[BALANCE] + n }
}

/* The waiter goes on, on this thread. */
inline join_returns()
{
  for (child : 0 .. CHILDREN - 1) {
    load(seen, OUTCOME + child);
    assert(seen == expected[child])
  }
  atomic { touch_frame(); returned = true }
}

inline resume_waiter()
{
  load(seen, WAITING);
  assert(seen == 1 + WAITER);
  load(seen, CONTEXT);
  assert(seen == 1);
  atomic { resumed++; assert(resumed == 1) };
  join_returns()
}

/* The thief expects what it cuts off. */
inline cut(victim)
{
  d_step { victim != me && at_loop[victim] && !frozen[victim] -> frozen[victim] = true };
#ifndef EXPECT_LATE
  add_to_balance(1, old);
#endif
  d_step { frozen[victim] = false; expected[me] = 1; at_loop[me] = true };
#ifdef EXPECT_LATE
  add_to_balance(1, old);
#endif
}

inline retire()
{
  d_step { !frozen[me] -> at_loop[me] = false }
}

proctype finisher(byte me)
{
  byte old, seen, child;

#ifdef PIECES
  if
  :: cut(WAITER)
  :: cut(0)
#if CHILDREN > 1
  :: cut(1)
#endif
  :: goto end  /* finds nothing */
  fi;
#ifndef FINISH_FIRST
  retire();
#endif
#endif
#ifdef GROUP
  if
  :: listed[me]
  :: timeout -> goto end  /* never spawned */
  fi;
  if
  :: me + 1 < CHILDREN ->
#ifndef EXPECT_LATE
     add_to_balance(1, old);
#endif
     d_step { expected[me + 1] = 1; listed[me + 1] = true };
#ifdef EXPECT_LATE
     add_to_balance(1, old);
#endif
  :: skip
  fi;
#endif
#ifndef OUTCOME_AFTER
  touch_frame();
  store(OUTCOME + me, 1);
#endif
  add_to_balance(-1, old);
#ifdef OUTCOME_AFTER
  touch_frame();
  store(OUTCOME + me, 1);
#endif
  if
  :: old == ZERO + 1 -> resume_waiter()
  :: else
#ifdef TOUCH_AFTER
     -> touch_frame()
#endif
  fi;
#ifdef FINISH_FIRST
  retire();
#endif
end:
  skip
}

proctype waiter(byte me)
{
  byte old, seen, child;

#ifdef PIECES
  retire();
#endif
  load(seen, BALANCE);
  if
  :: all_came(seen) -> join_returns()  /* all have finished: no wait, no switch */
  :: else ->
#ifdef PUBLISH_BEFORE_SWITCH
     store(WAITING, 1 + WAITER);
     add_to_balance(AWAITED, old);
     store(CONTEXT, 1);
#else
     store(CONTEXT, 1);
     /* From here on the next stack. */
     touch_frame();
     store(WAITING, 1 + WAITER);
     add_to_balance(AWAITED, old);
#endif
     if
     :: all_came(old) -> resume_waiter()
     :: else
#ifdef SWITCH_TOUCHES
        -> touch_frame()
#endif
     fi
  fi
}

/* When all is at rest the join has returned. */
active proctype at_rest()
{
  timeout -> assert(returned)
}

init
{
  byte child;

  atomic {
    mem[BALANCE] = ZERO + HELD;
#ifdef PIECES
    at_loop[WAITER] = true;
#endif
    run waiter(WAITER);
    for (child : 0 .. CHILDREN - 1) {
#ifdef GROUP
      expected[0] = 1;
      listed[0] = true;
#elif !defined(PIECES)
      expected[child] = 1;
#endif
      run finisher(child)
    }
  }
}
