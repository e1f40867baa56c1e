/* The join that waits, and its resumption. Edges D3 (outcomes before the balance) and D4 (nobody is resumed before
 * its context is saved; nobody touches a frame that may have returned).
 *
 * CHILDREN stolen branches, each with a finisher. `balance` counts finishers down and the wait up; it is stored here
 * plus CHILDREN, as cells are unsigned. Whoever makes the two meet resumes the waiter, which returns: its frame dies.
 *
 * Mutants: PUBLISH_BEFORE_SWITCH, TOUCH_AFTER, SWITCH_TOUCHES (the next stack reads the frame after its own RMW),
 *          OUTCOME_AFTER (the finisher counts down before its outcome is written)
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

#include "tso.pml"

bool returned;  /* the waiter went on; its frame is gone */
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
    assert(seen == 1)
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

proctype finisher(byte me)
{
  byte old, seen, child;

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
  :: old == CHILDREN + 1 -> resume_waiter()
  :: else
#ifdef TOUCH_AFTER
     -> touch_frame()
#endif
  fi
}

proctype waiter(byte me)
{
  byte old, seen, child;

  load(seen, BALANCE);
  if
  :: seen == 0 -> join_returns()  /* all have finished: no wait, no switch */
  :: else ->
#ifdef PUBLISH_BEFORE_SWITCH
     store(WAITING, 1 + WAITER);
     add_to_balance(CHILDREN, old);
     store(CONTEXT, 1);
#else
     store(CONTEXT, 1);
     /* From here on the next stack. */
     touch_frame();
     store(WAITING, 1 + WAITER);
     add_to_balance(CHILDREN, old);
#endif
     if
     :: old == 0 -> resume_waiter()
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
    mem[BALANCE] = CHILDREN;
    run waiter(WAITER);
    for (child : 0 .. CHILDREN - 1) {
      run finisher(child)
    }
  }
}
