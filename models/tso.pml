// SPDX-License-Identifier: Apache-2.0
/* x86-TSO, operationally: memory, and before it one FIFO store buffer per thread.
 *
 * A model defines THREADS, CELLS and BUFFER, includes this file first, and gives each of its processes a
 * `byte me` below THREADS. A cell is a word that somebody touches without a lock; whatever is touched only under
 * a lock whose release drains the buffer may be an ordinary Promela variable instead: nobody could tell.
 *
 * Every wait for an empty buffer is a guard, not a forced flush: the buffer's own process does the flushing, so
 * all partial flushes before the drain are explored as well.
 */

byte mem[CELLS];

typedef store_buffer {
  byte cell[BUFFER];
  byte value[BUFFER];
  byte count
};
store_buffer pending[THREADS];

byte scan;  /* for use within one d_step, which leaves it 0 */

/* Hardware writes back at moments of its own choice. First in the file: process number = thread number. */
active [THREADS] proctype write_back()
{
end:
  do
  :: d_step {
       pending[_pid].count > 0 ->
       mem[pending[_pid].cell[0]] = pending[_pid].value[0];
       scan = 1;
       do
       :: scan < pending[_pid].count ->
          pending[_pid].cell[scan - 1] = pending[_pid].cell[scan];
          pending[_pid].value[scan - 1] = pending[_pid].value[scan];
          scan++
       :: else -> break
       od;
       pending[_pid].count--;
       scan = 0;
       pending[_pid].cell[pending[_pid].count] = 0;  /* one representation per buffer: fewer states */
       pending[_pid].value[pending[_pid].count] = 0
     }
  od
}

#define drained(thread) (pending[thread].count == 0)

/* BUFFER is no bound on the search: it must be large enough that no thread ever fills it. */
inline store(c, v)
{
  d_step {
    assert(pending[me].count < BUFFER);
    pending[me].cell[pending[me].count] = c;
    pending[me].value[pending[me].count] = v;
    pending[me].count++
  }
}

/* The youngest pending store of this thread to the cell, else memory. */
inline load(variable, c)
{
  d_step {
    variable = mem[c];
    do
    :: scan < pending[me].count ->
       if
       :: pending[me].cell[scan] == (c) -> variable = pending[me].value[scan]
       :: else
       fi;
       scan++
    :: else -> break
    od;
    scan = 0
  }
}

/* MFENCE. A LOCKed instruction is `atomic { drained(me) -> ... }` on mem. */
inline fence()
{
  drained(me)
}

/* The kernel interrupts the CPUs one by one, so the other threads' drains are separate moments within the call. */
inline membarrier()
{
  fence();
  if :: me != 0 -> drained(0) :: else fi;
#if THREADS > 1
  if :: me != 1 -> drained(1) :: else fi;
#endif
#if THREADS > 2
  if :: me != 2 -> drained(2) :: else fi;
#endif
#if THREADS > 3
  if :: me != 3 -> drained(3) :: else fi;
#endif
#if THREADS > 4
#error "membarrier() knows four threads"
#endif
}

inline lock(c)
{
  d_step { drained(me) && mem[c] == 0 -> mem[c] = 1 }
}

inline try_lock(c, taken)
{
  d_step { drained(me) -> taken = (mem[c] == 0); mem[c] = 1 }
}

/* Waiters sleep, so the release has to learn whether there are any: an exchange, which drains.
 * PLAIN_UNLOCK is the weaker release, one store. */
inline unlock(c)
{
#ifdef PLAIN_UNLOCK
  store(c, 0)
#else
  d_step { drained(me) -> mem[c] = 0 }
#endif
}
