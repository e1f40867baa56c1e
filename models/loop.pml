// SPDX-License-Identifier: Apache-2.0
/* Loop frames in the deque of one worker: claim, cut, retire. Edges D15 (a claim against a cut), D16 (gates are opened
 * after the cut), D17 (the fence variant).
 *
 * One owner, two thieves. The owner opens LOOPS loops and FORKS forks in every nesting and order: inside an iteration,
 * inside a fork, one after the other in the same slot. It claims up to CHUNK iterations at a time. Each iteration must be
 * run exactly once, each fork too, and nobody touches the frame of a loop that the owner has retired. Thieves take forks,
 * cut loops, and pass over those that are exhausted. What they take they run at once: a piece that is cut again is one
 * more loop, in a deque of its own. How the end of all pieces is told is join.pml.
 *
 * Nobody but the owner reads anything without the lock, so its critical sections are one step: see idle.pml.
 *
 *   FENCE   the fallback without membarrier
 *   ASK     see deque.pml
 *   LEAVES  how often the strand leaves its worker in the middle of an iteration
 *   THROWS  how often an iteration throws: the loop is retired with what is left of it
 *   SHORT   a chunk may be cut short after its first iteration; an owner that meets a shut gate keeps one iteration only
 * Mutants: NO_BARRIER, SHUT_AFTER    see deque.pml
 *          GATE_FIRST                a claim loads `gate` before `limit`
 *          START_LAST                a claim stores `start` when it has looked
 *          OPEN_LIMIT_EARLY          the thief stores `gate` after it has opened `limit`
 *          OPEN_HEAD_GATE_EARLY      the thief opens `head_gate` before it has looked into the loop;
 *                                    with THROWS: before it has cut it
 *          READ_TWICE                the thief loads `start` once more for the middle; also with FENCE
 *          RETIRE_UNLOCKED           a pop that meets the gate does not wait for the lock
 *          NO_MIN                    a claim that met the gate is run as far as it was meant to go
 *          LEAVE_GATE                a strand that leaves lowers `end` but not `gate`
 *   with SHORT: KEEP_CHUNK           an owner that has given iterations back runs them all the same
 *               READMIT_UNSEEN       it does not put a loop back that was passed over, but takes it for there at its pop
 *   with FENCE: NO_CLAIM_FENCE (owner), NO_CUT_FENCE (thief)
 *          NO_RESTORE                a thief that came too late leaves `end` lowered
 *          HEAD_EARLY                the thief puts `head` back before it has done with the frame
 *   with ASK: HAND_OVER_GATE         the owner hands over the upper half, but leaves `gate` where it was
 */
#ifndef LOOPS
#define LOOPS 1
#endif
#ifndef FORKS
#define FORKS 1
#endif
#ifndef ITERATIONS
#define ITERATIONS 4  /* of the first loop, */
#endif
#ifndef INNER
#define INNER 2       /* and of the others */
#endif
#ifndef CHUNK
#define CHUNK 2
#endif
#ifndef LEAVES
#define LEAVES 0
#endif
#ifndef THROWS
#define THROWS 0
#endif
#define FRAMES (LOOPS + FORKS)
#define BUFFER (ITERATIONS + 6 + (LOOPS - 1) * (INNER + 6) + 3 * FORKS)  /* all that the owner stores outside the lock */
#define THREADS 3
#define BASE 1

#define TAIL 0
#define HEAD 1       /* written under LOCK; FENCE: read by the owner without it */
#define HEAD_GATE 2
#define LOCK 3
#define LIMIT 4
#define SLOT 5
#define START (SLOT + BASE + FRAMES)  /* START + loop */
#define END (START + LOOPS + 1)       /* END + loop; written under LOCK; FENCE: read by the owner without it */
#define GATE (END + LOOPS + 1)        /* GATE + loop */
#define CELLS (GATE + LOOPS + 1)
#define SHUT_HEAD_GATE 255
#define SHUT_LIMIT 0
#define OPEN_LIMIT 255

#include "tso.pml"

mtype = { absent, open, listed, claimed, dead };
mtype frame[FRAMES + 1] = absent;  /* loops first; frame 0 is the content of a slot never written */
byte ran[LOOPS + 1];               /* a bit for each iteration */
byte piece[LOOPS + 1];             /* the same: iterations in listed pieces; under LOCK */
bool twice, late_store;            /* what must not be */
bool wanted;                       /* under LOCK: a thief has asked, */
bool asked;                        /* and there were frames then */

#define is_loop(f) (1 <= (f) && (f) <= LOOPS)
#define size(l) ((l) == 1 -> ITERATIONS : INNER)
#define range(from, to) ((1 << (to)) - (1 << (from)))
#define middle(from, to) ((from) + ((to) - (from)) / 2)
#define open_head_gate(bound) (wanted && asked -> SHUT_HEAD_GATE : bound)
#define open_limit (wanted -> SHUT_LIMIT : OPEN_LIMIT)

inline run_iterations(l, from, to)
{
  d_step {
    twice = ((ran[l] | piece[l]) & range(from, to)) != 0;
    assert(!twice);
    ran[l] = ran[l] | range(from, to)
  }
}

/* By the owner. */
#define may_lock (drained(me) && mem[LOCK] == 0)

inline set_gates()
{
  mem[HEAD_GATE] = open_head_gate(mem[HEAD]);
  mem[LIMIT] = open_limit
}

inline begin_anew()
{
  mem[TAIL] = BASE;
  mem[HEAD] = BASE;
  mem[HEAD_GATE] = open_head_gate(BASE)
}

inline hand_over_oldest()
{
  do
  :: mem[HEAD] < mem[TAIL] ->
     oldest = mem[SLOT + mem[HEAD]];
     assert(frame[oldest] == open);
     if
     :: !is_loop(oldest) -> frame[oldest] = listed; mem[HEAD]++; break
     :: is_loop(oldest) && mem[START + oldest] >= mem[END + oldest] -> mem[HEAD]++
     :: else ->
        m = middle(mem[START + oldest], mem[END + oldest]);
        piece[oldest] = piece[oldest] | range(m, mem[END + oldest]);
        mem[END + oldest] = m;
#ifndef HAND_OVER_GATE
        mem[GATE + oldest] = m;
#endif
        break
     fi
  :: else -> break
  od;
  oldest = 0;
  m = 0;
  wanted = false;
  asked = false
}

inline push(f)
{
  frame[f] = open;
  nest[depth] = f;
  depth++;
  load(t, TAIL);
  store(SLOT + t, f);
  store(TAIL, t + 1);
#ifndef FENCE
  load(bound, LIMIT);
  if
  :: t + 1 <= bound
  :: else ->
     d_step {
       may_lock ->
#ifdef ASK
       if
       :: wanted -> hand_over_oldest()
       :: else
       fi;
#endif
       set_gates()
     }
  fi;
#endif
  d_step { t = 0; bound = 0 }
}

/* Owners need not claim to learn that nothing is left. */
inline find_over(l)
{
  d_step { is_loop(l) && !over[l] && at[l] >= mem[GATE + l] -> over[l] = true }
}

inline claim(l, chunk)
{
  d_step { from = at[l]; to = from + chunk; at[l] = to };
#ifndef START_LAST
  store(START + l, to);
#endif
#ifdef FENCE
#ifndef NO_CLAIM_FENCE
  fence();
#endif
  load(bound, END + l);
#else
#ifdef GATE_FIRST
  load(t, GATE + l);
  load(bound, LIMIT);
  if
  :: bound == SHUT_LIMIT
  :: else -> bound = t
  fi;
  t = 0;
#else
  load(bound, LIMIT);
  if
  :: bound == SHUT_LIMIT
  :: else -> load(bound, GATE + l)
  fi;
#endif
#endif
#ifdef START_LAST
  store(START + l, to);
#endif
  if
  :: to <= bound
  :: else ->
#ifdef SHORT
     if
     :: bound == SHUT_LIMIT ->
        store(START + l, from + 1);
#ifndef KEEP_CHUNK
        d_step { to = from + 1; at[l] = to }
#endif
     :: else
     fi;
#endif
     d_step {
       may_lock ->
#ifdef SHORT
       if
       :: mem[START + l] < mem[END + l] && mem[TAIL] <= mem[HEAD] ->
#ifdef READMIT_UNSEEN
          mem[HEAD] = BASE;
          mem[TAIL] = BASE + 1
#else
          begin_anew();
          mem[SLOT + BASE] = l;
          mem[TAIL] = BASE + 1
#endif
       :: else
       fi;
#endif
#ifdef ASK
       if
       :: wanted -> hand_over_oldest()
       :: else
       fi;
#endif
#ifndef FENCE
       set_gates();
#endif
       bound = 0
     };
     /* The lock has been given back: another thief may be cutting what is above the claim. */
     load(bound, END + l);
     d_step {
#ifdef NO_MIN
       bound = (from >= bound -> from : (to > size(l) -> size(l) : to));
#else
       bound = (to > bound -> bound : to);
       bound = (from > bound -> from : bound);
#endif
       over[l] = (bound == from)
     };
     if
     :: bound < to -> at[l] = bound; store(START + l, bound); to = bound
     :: else
     fi
  fi;
#ifdef SHORT
  if
  :: to > from + 1 -> to = from + 1; at[l] = to
  :: true
  fi;
#endif
  run_iterations(l, from, to);
  d_step { from = 0; to = 0; bound = 0 }
}

#define stores_to_loop(thief, i, l) \
  (i < pending[thief].count && (pending[thief].cell[i] == END + l || pending[thief].cell[i] == GATE + l))

/* From here on the frame's memory is something else's. */
inline retire(l)
{
  d_step {
    frame[l] = dead;
    for (t : 0 .. BUFFER - 1) {
      late_store = late_store || stores_to_loop(1, t, l) || stores_to_loop(2, t, l)
    }
    assert(!late_store);
    t = 0
  }
}

inline pop()
{
  d_step { depth--; f = nest[depth]; nest[depth] = 0 };
  load(t, TAIL);
  t--;
  store(TAIL, t);
#ifdef FENCE
  fence();
  load(bound, HEAD);
#else
  load(bound, HEAD_GATE);
#endif
  if
  :: t >= bound -> assert(frame[f] == open)
  :: else ->
     d_step {
#ifdef RETIRE_UNLOCKED
       drained(me) ->
#else
       may_lock ->
#endif
       if
       :: t >= mem[HEAD] ->
          assert(frame[f] == open);
#ifdef ASK
          if
          :: wanted && t > mem[HEAD] -> hand_over_oldest()
          :: else
          fi;
          asked = false;
#endif
#ifndef FENCE
          set_gates()
#endif
       :: else ->
          assert(is_loop(f) || frame[f] == listed || frame[f] == claimed);
          begin_anew()
       fi
     }
  fi;
  if
  :: is_loop(f) ->
     retire(f);
     do
     :: d_step { piece[f] != 0 && may_lock -> bound = piece[f]; piece[f] = 0; ran[f] = ran[f] | bound }
     :: piece[f] == 0 -> break
     od;
#if THROWS
     d_step {
       if
       :: at[f] < mem[END + f] -> run_iterations(f, at[f], mem[END + f])  /* that is, nobody runs them */
       :: else
       fi
     };
#endif
     assert(ran[f] == range(0, size(f)))
  :: !is_loop(f) && frame[f] != listed -> frame[f] = dead
  :: d_step { !is_loop(f) && frame[f] == listed && may_lock -> frame[f] = dead }
  fi;
  d_step { t = 0; bound = 0; f = 0 }
}

/* The strand leaves its worker, and goes on there when the deque is empty. */
inline promote_all()
{
  d_step {
    may_lock ->
    for (t : mem[HEAD] .. mem[TAIL] - 1) {
      f = mem[SLOT + t];
      assert(frame[f] == open);
      if
      :: !is_loop(f) -> frame[f] = listed
      :: is_loop(f) && at[f] < mem[END + f] ->
         piece[f] = piece[f] | range(at[f], mem[END + f]);
         mem[END + f] = at[f];
#ifndef LEAVE_GATE
         mem[GATE + f] = at[f]
#endif
      :: else
      fi
    }
    t = 0;
    f = 0;
    leaves++;
    begin_anew()
  }
}

proctype owner(byte me)
{
  byte nest[FRAMES + 1];  /* the frames on this worker's C++ stack, innermost last, above a 0 */
  byte depth = 1;
  byte loops, forks, leaves, throws;
  byte at[LOOPS + 1];     /* what the owner has stored in `start` */
  bool over[LOOPS + 1];
  byte t, bound, f, from, to, oldest, m;

#define top nest[depth - 1]
#define between_constructs (!is_loop(top) || (at[top] > 0 && !over[top]))
  do
  :: loops < LOOPS && between_constructs -> loops++; push(loops)
  :: forks < FORKS && between_constructs -> forks++; push(LOOPS + forks)
  :: is_loop(top) && !over[top] -> claim(top, 1)
#if CHUNK > 1
  :: is_loop(top) && !over[top] -> claim(top, CHUNK)
#endif
#ifndef FENCE
  :: find_over(top)
#endif
  :: top != 0 && (!is_loop(top) || over[top]) -> pop()
#if LEAVES
  :: leaves < LEAVES && top != 0 && between_constructs -> promote_all()
#endif
#if THROWS
  :: throws < THROWS && is_loop(top) && between_constructs -> throws++; over[top] = true
#endif
  :: top == 0 && loops > 0 -> break
  od;
  may_lock;
  assert(mem[TAIL] == BASE && mem[HEAD] == BASE);
  for (f : 1 .. FRAMES) {
    assert(frame[f] == dead || frame[f] == absent)
  }
}

/* Under LOCK. */
inline take_listed()
{
  d_step {
    f = 1;
    do
    :: f <= FRAMES && frame[f] != listed && !(is_loop(f) && piece[f] != 0) -> f++
    :: else -> break
    od;
    if
    :: is_loop(f) -> ran[f] = ran[f] | piece[f]; piece[f] = 0
    :: else -> frame[f] = claimed
    fi;
    f = 0
  }
}

inline take_fork()
{
  d_step { assert(frame[f] == open); frame[f] = claimed }
}

inline touch_loop()
{
  assert(frame[f] == open)
}

/* Under LOCK. */
#ifdef FENCE
inline steal()
{
  store(HEAD, h + 1);
  fence();
  load(t, TAIL);
  if
  :: t < h + 1 -> store(HEAD, h)
  :: else ->
     load(f, SLOT + h);
     if
     :: !is_loop(f) -> take_fork()
     :: else ->
#ifdef HEAD_EARLY
        store(HEAD, h);
#endif
        touch_loop();
        load(s, START + f);
        load(e, END + f);
        if
        :: s >= e
        :: else ->
#ifdef READ_TWICE
           load(s, START + f);
#endif
           m = middle(s, e);
           store(END + f, m);
#ifndef NO_CUT_FENCE
           fence();
#endif
           touch_loop();
           load(s, START + f);
           if
           :: s <= m -> run_iterations(f, m, e)
           :: else ->
              m = e;
#ifndef NO_RESTORE
              touch_loop();
              store(END + f, e)
#endif
           fi;
           if
           :: s < m -> store(HEAD, h)
           :: else
           fi
        fi
     fi
  fi
}
#else
inline shut_gates()
{
  store(HEAD_GATE, SHUT_HEAD_GATE);
  store(LIMIT, SHUT_LIMIT)
}

inline steal()
{
#ifndef SHUT_AFTER
  shut_gates();
#endif
#ifdef NO_BARRIER
  fence();
#else
  membarrier();
#endif
#ifdef SHUT_AFTER
  shut_gates();
#endif
  load(t, TAIL);
  do
  :: t <= h -> break
  :: else ->
     load(f, SLOT + h);
     if
     :: !is_loop(f) -> take_fork(); h++; break
     :: else ->
#if defined(OPEN_HEAD_GATE_EARLY) && !THROWS
        store(HEAD_GATE, open_head_gate(h));
#endif
        touch_loop();
        load(s, START + f);
        e = mem[END + f];
        if
        :: s >= e -> h++
        :: else ->
#ifdef READ_TWICE
           load(s, START + f);
#endif
           d_step { m = middle(s, e); mem[END + f] = m };
           run_iterations(f, m, e);
#ifdef OPEN_LIMIT_EARLY
           store(LIMIT, open_limit);
#endif
#if defined(OPEN_HEAD_GATE_EARLY) && THROWS
           store(HEAD_GATE, open_head_gate(h));
#endif
           touch_loop();
           store(GATE + f, m);
           break
        fi
     fi
  od;
  mem[HEAD] = h;
  store(HEAD_GATE, open_head_gate(h));
  store(LIMIT, open_limit)
}
#endif

proctype thief(byte me)
{
  bool got, any;
  byte h, t, f, s, e, m;

  do
  :: try_lock(LOCK, got);
     if
     :: !got
     :: else ->
        load(h, HEAD);
        load(t, TAIL);
        d_step {
          for (f : 1 .. FRAMES) {
            any = any || frame[f] == listed || (is_loop(f) && piece[f] != 0)
          }
          f = 0
        };
        if
#if LEAVES || defined(ASK)
        :: any -> take_listed()
#endif
#ifdef ASK
        :: !any && (!wanted || (!asked && t > h)) ->
           d_step { wanted = true; asked = (t > h) };
           store(HEAD_GATE, open_head_gate(h));
           store(LIMIT, open_limit)
        :: !any && wanted && (asked || t <= h)  /* asked, and not silent for long */
        :: !any && wanted && asked && t > h -> d_step { wanted = false; asked = false }; steal()
#else
        :: !any && t <= h
        :: !any && t > h -> steal()
#endif
        fi;
        unlock(LOCK)
     fi;
     d_step { got = false; any = false; h = 0; t = 0; f = 0; s = 0; e = 0; m = 0 }
  :: break  /* nobody has to steal: the owner must get by without */
  od
}

init
{
  byte l;

  atomic {
    mem[TAIL] = BASE;
    mem[HEAD] = BASE;
    mem[HEAD_GATE] = BASE;
    mem[LIMIT] = OPEN_LIMIT;
    for (l : 1 .. LOOPS) {
      mem[END + l] = size(l);
      mem[GATE + l] = size(l)
    }
    run owner(0);
    run thief(1);
    run thief(2)
  }
}
