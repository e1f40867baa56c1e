// SPDX-License-Identifier: Apache-2.0
// A machine to simulate: its places, what the runtime's steps cost on it, and its memory.
#pragma once

#include "machine/places.hpp"
#include "time/picoseconds.hpp"

#include <cstdint>
#include <string>

namespace sennit::sim {

// What a step costs that needs another core's data.
struct cost_by_distance {
  picoseconds same_cache = 0;
  picoseconds same_node = 0;
  picoseconds other_node = 0;

  // Of a core to itself: nothing.
  picoseconds at(distance d) const noexcept {
    switch (d) {
      case distance::same_core: return 0;
      case distance::same_cache: return same_cache;
      case distance::same_node: return same_node;
      case distance::other_node: break;
    }
    return other_node;
  }
  bool operator==(const cost_by_distance&) const = default;
};

// What the steps of the runtime cost, each without the steps that have a cost of their own: a steal is a look, which may
// fail, and if it does not, a barrier (or a request) and the rest of the steal.
struct machine_costs {
  picoseconds fork = 0;        // of the owner: to push a frame, and to take it back if nobody else has
  picoseconds fence = 0;       // added to each fork if owners have a fence instead of thieves a barrier
  picoseconds loop_chunk = 0;  // of the owner: to claim the next iterations of a loop
  picoseconds strand = 0;      // of a thief: to begin a strand with what it has stolen, and to tell its end

  cost_by_distance steal_miss;  // a look at a victim that has nothing
  cost_by_distance steal_hit;   // all of a steal that succeeds but the barrier
  picoseconds deque_lock = 0;   // how long a steal keeps others from the same deque
  cost_by_distance transfer;    // a written cache line from one core to another: a request, or an answer

  picoseconds promotion = 0;    // to make a latent frame one that others may take
  picoseconds signal_send = 0;  // of the sender: the system call
  picoseconds signal_take = 0;  // of the receiver: interrupt, handler and return

  picoseconds park = 0;          // of a worker that goes to sleep: the system call
  picoseconds wake_call = 0;     // of the waker: the system call
  picoseconds wake_latency = 0;  // of the woken: from the end of that call until it runs

  // A membarrier takes barrier_base + barrier_per_thread * (running threads, the caller among them), and the machine does one
  // at a time.
  picoseconds barrier_base = 0;
  picoseconds barrier_per_thread = 0;
  picoseconds barrier_interrupt = 0;  // of each running thread that a barrier interrupts

  picoseconds barrier(unsigned running) const noexcept { return barrier_base + barrier_per_thread * running; }
  bool operator==(const machine_costs&) const = default;
};

// The same as MB/s.
using bytes_per_microsecond = std::uint64_t;

struct machine_memory {
  std::uint64_t line_bytes = 0;     // what one miss moves
  std::uint64_t private_bytes = 0;  // of a core's own caches
  std::uint64_t shared_bytes = 0;   // of the cache that a group of cores shares; 0: none

  // Until the first line is there. What lies in the core's own cache is at hand: it costs nothing.
  picoseconds shared_latency = 0;
  picoseconds local_latency = 0;   // memory of the core's own node
  picoseconds remote_latency = 0;  // memory of another node

  // What one core draws, if it has the machine to itself: from the shared cache, from memory of its own node, of another.
  bytes_per_microsecond core_shared = 0;
  bytes_per_microsecond core_local = 0;
  bytes_per_microsecond core_remote = 0;
  // What all that use it share: a node's memory; a node's link to all other nodes, in each direction.
  bytes_per_microsecond node_bandwidth = 0;
  bytes_per_microsecond link_bandwidth = 0;

  bool operator==(const machine_memory&) const = default;
};

// Ranks, each with cores and memory as the machine has them, and the network between them.
struct machine_network {
  unsigned ranks = 1;
  picoseconds latency = 0;  // until the first byte is there
  bytes_per_microsecond bandwidth =
      1;                    // of a rank's port in each direction, shared by its messages in equal parts
  picoseconds send = 0;     // of the sender, for each message
  picoseconds receive = 0;  // of the receiver
  picoseconds progress_delay = 0;  // how long a message waits at most where all workers have work

  bool operator==(const machine_network&) const = default;
};

// Not changed while it is simulated; several threads may read it.
struct machine {
  std::string name;
  places where;
  machine_costs costs;
  machine_memory memory;
  machine_network network;

  bool operator==(const machine&) const = default;
};

}  // namespace sennit::sim
