// SPDX-License-Identifier: Apache-2.0
/* A graph that follows a schedule in strict order: boxes of ready nodes, and the strands that serve them.
 *
 * One strand explores the nodes, on worker 0. Each worker does what is sent to it. Node 0 waits for none, and each other
 * node for an earlier one. Homes, predecessors, the order of the schedule and a node that the graph lacks are any. Each
 * node must be computed once, by its home, and one strand at a time serves a box. An order that the graph allows is kept.
 * Any other order is given up, and no node is left.
 *
 * All is under locks, so store buffers are empty, and a critical section is one step. That a node waits for all its
 * predecessors is graph.pml; how a strand gets to its worker is donation.pml. Strands stay on their workers.
 *
 * Mutants: CLEAR_LATE   a strand that finds nothing clears `served` after it has let go of the lock
 *          NO_SERVED    a node that is put sends a strand although somebody serves the box
 *          SEND_UNSEEN  a node that is put sends nobody if the box was not empty
 *          NO_LAST_LOOK nobody looks at all boxes when all nodes are known
 *          KNOWN_EARLY  the last node is counted as explored before it is noted
 *          NEVER_GIVE_UP  the order is kept at all costs
 */
#ifndef NODES
#define NODES 4
#endif
#define WORKERS 2
#define NONE 255

byte home[NODES], parent[NODES];
byte lacks = NONE;   /* the schedule has this node, the graph has not */
bool reversed;       /* the order of the schedule */
bool exists[NODES], listed[NODES], waits[NODES], computed[NODES];
bool served[WORKERS];
byte sent[WORKERS], strands[WORKERS];
byte at_work;
bool all_known, gave_up, begun, over;
bool kept;
byte other, least, i;  /* within one step, which resets them */

#define position(n) (reversed -> NODES - 1 - (n) : (n))

/* `least`: the first node of the box, if it may be taken now. */
inline look(box)
{
  least = NONE;
  i = 0;
  do
  :: i < NODES ->
     if
     :: waits[i] && home[i] == box && (least == NONE || position(i) < position(least)) -> least = i
     :: else
     fi;
     i++
  :: else -> break
  od;
  i = 0;
  do
  :: i < NODES && least != NONE ->
     if
     :: !gave_up && home[i] == box && position(i) < position(least) && !computed[i] && (!all_known || exists[i]) ->
        least = NONE
     :: else
     fi;
     i++
  :: else -> break
  od;
  i = 0
}

inline send(box)
{
  strands[box]++;
  assert(strands[box] == 1);
  sent[box]++;
  at_work++
}

inline put(n)
{
  d_step {
    other = 0;
#ifdef SEND_UNSEEN
    i = 0;
    do
    :: i < NODES -> if :: waits[i] && home[i] == home[n] -> other = 1 :: else fi; i++
    :: else -> break
    od;
#endif
    waits[n] = true;
    look(home[n]);
    if
#ifdef NO_SERVED
    :: least != NONE -> send(home[n])
#else
    :: least != NONE && !served[home[n]] && other == 0 -> served[home[n]] = true; send(home[n])
#endif
    :: else
    fi;
    least = 0;
    other = 0
  }
}

inline look_at_all()
{
  b = 0;
  do
  :: b < WORKERS ->
     d_step {
       look(b);
       if
       :: least != NONE && !served[b] -> served[b] = true; send(b)
       :: else
       fi;
       least = 0
     };
     b++
  :: else -> break
  od;
  b = 0
}

active proctype explorer()
{
  byte n, b;
  bool ready;

  do
  :: n < NODES ->
     if :: home[n] = 0 :: home[n] = 1 fi;
     if
     :: n > 0 -> parent[n] = 0
     :: n > 1 && lacks != 1 -> parent[n] = 1
     :: n > 2 && lacks != 2 -> parent[n] = 2
     :: n == 0
     fi;
     if
     :: n > 0 && lacks == NONE -> lacks = n
     :: true
     fi;
     n++
  :: else -> break
  od;
  if :: reversed = true :: true fi;
  at_work = 1;
  begun = true;
  n = 0;
  do
  :: n < NODES && n == lacks -> n++
  :: n < NODES && n != lacks ->
#ifdef KNOWN_EARLY
     if
     :: n == NODES - 1 -> all_known = true; look_at_all()
     :: else
     fi;
#endif
     d_step {
       exists[n] = true;
       ready = n == 0 || computed[parent[n]];
       listed[n] = ready
     };
     if
     :: ready -> put(n)
     :: else
     fi;
     n++
  :: else -> break
  od;
  all_known = true;
#ifndef NO_LAST_LOOK
  look_at_all();
#endif
  at_work--;
  do
  :: at_work == 0 ->
     n = 0;
     ready = false;
     do
     :: n < NODES -> ready = ready || waits[n]; n++
     :: else -> break
     od;
     if
     :: !ready -> break
     :: else ->
        assert(reversed);  /* the graph allows the other order */
#ifdef NEVER_GIVE_UP
        false;
#endif
        gave_up = true;
        at_work++;
        look_at_all();
        at_work--
     fi
  od;
  n = 0;
  do
  :: n < NODES -> assert(computed[n] == (n != lacks)); n++
  :: else -> break
  od;
  over = true
}

active [WORKERS] proctype worker()
{
  byte me = _pid - 1;
  byte n, m;
  bool ready;

end:
  do
  :: begun && sent[me] > 0 ->
     sent[me]--;
     do
     :: d_step {
          look(me);
          n = least;
          if
          :: n != NONE -> waits[n] = false
#ifndef CLEAR_LATE
          :: else -> served[me] = false; strands[me]--
#else
          :: else
#endif
          fi;
          least = 0
        };
        if
        :: n == NONE ->
#ifdef CLEAR_LATE
           d_step { served[me] = false; strands[me]-- };
#endif
           break
        :: else
        fi;
        assert(!computed[n] && home[n] == me);
        d_step {
          do
          :: m < NODES ->
             kept = gave_up || m == lacks || home[m] != me || position(m) >= position(n) || computed[m];
             assert(kept);
             m++
          :: else -> break
          od;
          computed[n] = true
        };
        m = 1;
        do
        :: m < NODES ->
           d_step {
             ready = exists[m] && parent[m] == n && !listed[m];
             listed[m] = listed[m] || ready
           };
           if
           :: ready -> put(m)
           :: else
           fi;
           m++
        :: else -> break
        od
     od;
     n = 0;
     m = 0;
     ready = false;
     at_work--
  od
}
