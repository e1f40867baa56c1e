// SPDX-License-Identifier: Apache-2.0
// Runs a graph on the ranks of a machine: discrete events in picoseconds, integers only, as simulate() for one rank.
#pragma once

#include "machine/machine.hpp"
#include "ranks/rank_graph.hpp"

#include <cstdint>

namespace sennit::sim {

// How a system runs tasks. The default costs nothing but messages.
struct rank_options {
  picoseconds task = 0;  // of a worker, for each node
  picoseconds submit_own =
      0;  // one thread of each rank goes through the whole graph before nodes are known: a node of its
  picoseconds submit_other = 0;  // own rank, a node of another one
  picoseconds central = 0;       // of a rank's only scheduler, one task at a time
  bool loops_in_nodes = true;    // workers without work take parts of a node's loop
  bool progress_thread = false;  // one of the cores does nothing but messages; otherwise idle workers do them
  unsigned workers = 0;          // of each rank; 0: one for each core
};

struct rank_result {
  picoseconds makespan = 0;
  picoseconds work = 0;        // of all nodes
  std::uint64_t messages = 0;  // a value is sent once to each rank that reads it
  std::uint64_t bytes = 0;

  bool operator==(const rank_result&) const = default;
};

// Workers of a rank take its ready nodes first come, first served. Who has computed a value sends it: message_send for each
// rank. A message shares its sender's port while it leaves, and its receiver's while it comes, one latency later; it is there
// when both are through with it. An idle worker receives it, for message_receive. If none is idle for progress_delay, it
// is received then, and takes no worker's time. With progress_thread and one worker, messages take no worker's time either. Throws
// std::invalid_argument for a node of a rank that the machine does not have, and for a loop of no pieces.
rank_result simulate(const rank_graph& graph, const machine& on, const rank_options& how = {});

}  // namespace sennit::sim
