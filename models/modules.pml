// SPDX-License-Identifier: Apache-2.0
/* Tables of rolled-forward code that come and go with the modules that have it. Edge D40.
 *
 * The program has tables of its own. A loader loads and unloads plugins A, B and A again, all to the same place. Each
 * registers its tables: an index, and a node at the head of a list, or the node that it had before. Another thread runs
 * the program's code and that of the plugin that is loaded. Beats come to both threads at any moment, to the loader's
 * between any two of its steps, too; the handler looks for the address that it interrupted. It finds the tables of the
 * module that is at that address, reads those of no other, and nothing that is not written yet or no longer memory.
 *
 * The loader's handler is one step: the loader waits meanwhile, and the other thread writes nothing that it reads.
 *
 * Mutants: PUBLISH_FIRST  a node is at the head of the list before its index is written
 *          PUBLISH_BLIND  it is so before it has the rest of the list behind it
 *          FREE_NODE      a node goes away with its module
 *          KEEP_ALIVE     a module that is unloaded is not marked
 *          NEW_NODE       a module that comes back gets another node
 *          REVIVE_ANY     it takes up the node of whatever was at its place
 */
#define THREADS 2
#define BUFFER 4
#define NODES 3

#define HEAD 0
#define NEXT HEAD              /* NEXT + node: nodes are 1, 2, ... */
#define INDEX (NEXT + NODES)   /* INDEX + node: whose it is */
#define ALIVE (INDEX + NODES)  /* ALIVE + node */
#define CELLS (ALIVE + NODES + 1)

#include "tso.pml"

#define NONE 0
#define PROGRAM 1
#define A 2
#define B 3
#define SAME_PLACE(m, n) ((m == PROGRAM) == (n == PROGRAM))

byte nodes;              /* made so far */
bool memory[NODES + 1];  /* a node's */
byte mapped;             /* the plugin that is at the place */
byte callable;           /* the plugin whose code may be run, as its user keeps it, under a lock */
bool running;            /* the other thread does */

inline find(module)
{
  load(n, HEAD);
  do
  :: n != NONE ->
     assert(memory[n]);
     load(seen, ALIVE + n);
     if
     :: seen ->
        load(seen, INDEX + n);
        assert(seen != NONE);
        if
        :: SAME_PLACE(seen, module) -> break
        :: else
        fi
     :: else
     fi;
     load(n, NEXT + n)
  :: else -> break
  od;
  assert(n != NONE && seen == module && (module == PROGRAM || module == mapped));
  d_step { n = NONE; seen = NONE }
}

inline publish(module)
{
  d_step { assert(nodes < NODES); nodes++; memory[nodes] = true };
  load(n, HEAD);
#ifndef PUBLISH_FIRST
  store(INDEX + nodes, module);
#endif
  store(ALIVE + nodes, true);
#ifndef PUBLISH_BLIND
  store(NEXT + nodes, n);
#endif
  atomic { drained(me) -> mem[HEAD] = nodes };
#ifdef PUBLISH_BLIND
  store(NEXT + nodes, n);
#endif
#ifdef PUBLISH_FIRST
  store(INDEX + nodes, module);
#endif
  n = NONE
}

inline register(module)
{
#ifndef NEW_NODE
  load(n, HEAD);
  do
  :: n == NONE -> break
  :: else ->
     load(seen, INDEX + n);
     if
#ifdef REVIVE_ANY
     :: SAME_PLACE(seen, module) -> break
#else
     :: seen == module -> break
#endif
     :: else -> load(n, NEXT + n)
     fi
  od;
  seen = NONE;
#endif
  if
  :: n != NONE -> store(ALIVE + n, true); n = NONE
  :: else -> publish(module)
  fi
}

inline unregister(module)
{
  load(n, HEAD);
  do
  :: n == NONE -> break
  :: else ->
     load(seen, INDEX + n);
     if
     :: seen == module ->
#ifndef KEEP_ALIVE
        store(ALIVE + n, false);
#endif
#ifdef FREE_NODE
        memory[n] = false;
#endif
        skip
     :: else
     fi;
     load(n, NEXT + n)
  od;
  seen = NONE
}

inline load_and_unload(plugin)
{
  mapped = plugin;
  register(plugin);
  atomic { drained(me) -> callable = plugin };
  atomic { drained(me) && !running -> callable = NONE };
  unregister(plugin);
  mapped = NONE
}

bool program_runs;

active proctype loader()
{
  byte me = 0;
  byte n, seen;

  register(PROGRAM);
  atomic { drained(me) -> program_runs = true };
  load_and_unload(A);
  load_and_unload(B);
  load_and_unload(A)
}

active proctype loader_interrupted()
{
  byte me = 0;
  byte n, seen;
end:
  do
  :: atomic { program_runs -> find(PROGRAM) }
  :: atomic { callable != NONE -> find(callable) }
  od
}

active proctype other_thread()
{
  byte me = 1;
  byte n, seen, runs;
end:
  do
  :: program_runs -> find(PROGRAM)
  :: atomic { callable != NONE -> runs = callable; running = true };
     find(runs);
     atomic { running = false; runs = NONE }
  od
}
