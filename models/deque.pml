/* The deque of one worker: push, pop, steal. Edges D1 (slot before tail), D2 (pop's tail against steal's head), D6 (gates
 * agree with the bounds whenever the lock is free).
 *
 * One owner, two thieves, FORKS frames in every nesting. Each frame must be run exactly once, by the owner or by
 * one thief; a thief touches a frame only after its claim. While a stolen branch is waited for, the owner may run
 * another strand on the same deque: the pops of the outer frames then start from an empty deque.
 *
 *   PLAIN_UNLOCK  see tso.pml: nothing depends on the unlock draining
 *   FENCE         the fallback without membarrier: the owner fences and reads `head`; there is no gate
 * Mutants: NO_BARRIER, GATE_AFTER, TAIL_BEFORE_SLOT, NO_RESTORE; with FENCE: NO_BARRIER, NO_OWNER_FENCE
 */
#ifndef FORKS
#define FORKS 4
#endif
#define BUFFER (3 * FORKS + 4)  /* a push stores twice, a pop once; PLAIN_UNLOCK: and a reset before them four times */
#define THREADS 3
#define BASE 1  /* the first slot; BASE - 1 is the tail that a pop leaves when it underflows */

#define TAIL 0
#define HEAD 1  /* the real bound: read and written under LOCK (FENCE: read by the owner without it) */
#define GATE 2  /* head_gate, what the owner compares with */
#define LOCK 3
#define SLOT 4
#define CELLS (SLOT + BASE + FORKS)

#include "tso.pml"

mtype = { absent, latent, claimed, finished, dead };
mtype frame[FORKS + 1] = absent;  /* frame 0 is the content of a slot never written */

proctype owner(byte me)
{
  byte open[FORKS];  /* the frames on this worker's C++ stack, innermost last */
  byte depth;
  byte forks;
  byte waits;        /* the stolen frame a suspended strand waits for */
  byte floor;        /* that strand's frames lie below */
  byte t, bound, f;

  do
  :: forks < FORKS ->  /* push */
     d_step { forks++; frame[forks] = latent; open[depth] = forks; depth++ };
     load(t, TAIL);
#ifdef TAIL_BEFORE_SLOT
     store(TAIL, t + 1);
     store(SLOT + t, forks);
#else
     store(SLOT + t, forks);
     store(TAIL, t + 1);
#endif
     t = 0

  :: depth > floor ->  /* pop, relative: nothing is remembered from the push */
     d_step { depth--; f = open[depth]; open[depth] = 0 };
     load(t, TAIL);
     t--;
     store(TAIL, t);
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
        lock(LOCK);
        load(bound, HEAD);
        if
        :: t >= bound ->  /* a thief has looked and withdrawn */
#ifndef FENCE
           store(GATE, bound);
#endif
           unlock(LOCK);
           d_step { assert(frame[f] == latent); frame[f] = dead }
        :: else ->
           assert(frame[f] == claimed || frame[f] == finished);
           store(TAIL, BASE);  /* nothing lies between head and tail: start afresh */
           store(HEAD, BASE);
#ifndef FENCE
           store(GATE, BASE);
#endif
           unlock(LOCK);
           if
           :: d_step { frame[f] == finished -> frame[f] = dead }
           :: d_step { waits == 0 && forks < FORKS -> waits = f; floor = depth }
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
  assert(mem[GATE] == BASE);
#endif
  unlock(LOCK);
  for (f : 1 .. FORKS) {
    assert(frame[f] == dead || (frame[f] == absent && f > forks))
  }
}

proctype thief(byte me)
{
  bool taken;
  byte h, t, f;

  do
  :: try_lock(LOCK, taken);
     if
     :: !taken -> skip
     :: else ->
        load(h, HEAD);
#ifndef FENCE
        load(t, GATE);
        assert(t == h);  /* whoever holds the lock finds gate and bound agreed */
#endif
        load(t, TAIL);
        if
        :: t <= h -> unlock(LOCK)
        :: else ->
           store(HEAD, h + 1);
#ifdef FENCE
#ifndef NO_BARRIER
           fence();
#endif
#else
#ifndef GATE_AFTER
           store(GATE, h + 1);
#endif
#ifdef NO_BARRIER
           fence();
#else
           membarrier();
#endif
#ifdef GATE_AFTER
           store(GATE, h + 1);
#endif
#endif
           load(t, TAIL);
           if
           :: t < h + 1 ->  /* the owner was first */
#ifndef NO_RESTORE
              store(HEAD, h);
#ifndef FENCE
              store(GATE, h);
#endif
#endif
              unlock(LOCK)
           :: else ->
              load(f, SLOT + h);
              d_step { assert(frame[f] == latent); frame[f] = claimed };
              unlock(LOCK);
              d_step { frame[f] = finished; f = 0 }  /* how completion is told is join.pml */
           fi
        fi
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
    run owner(0);
    run thief(1);
    run thief(2)
  }
}
