// SPDX-License-Identifier: Apache-2.0
// What the nodes of a graph's trace waited for, and the chain of nodes that no further worker makes shorter.
#pragma once

#include <sennit/graph_trace.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace command {

inline constexpr std::uint32_t no_node = UINT32_MAX;

// Of a node that has predecessors. A node without any is ready as soon as the run finds it, and a trace does not say
// when that was.
struct node_wait {
  std::uint32_t last = no_node;           // the predecessor that ended last; no_node: there is none
  std::chrono::nanoseconds ready{0};      // when that predecessor ended
  std::chrono::nanoseconds waited{0};     // from then until the node began: for a worker
  std::chrono::nanoseconds avoidable{0};  // of this, while at least one worker computed nothing
};

// One for each node. Empty if the trace has no predecessors.
std::vector<node_wait> waits_of(const sennit::graph::trace& t);

struct graph_chain {
  std::vector<std::uint32_t> nodes;  // each is a predecessor of the next
  std::chrono::nanoseconds time{0};  // that computing them took
};

// The chain of nodes that took the longest to compute: the critical path. Nothing if the trace has no predecessors.
std::optional<graph_chain> longest_chain(const sennit::graph::trace& t);

// The times in which a worker was in at least one node, in order and apart from one another; for each worker.
struct busy_time {
  std::chrono::nanoseconds begin;
  std::chrono::nanoseconds end;
};
std::vector<std::vector<busy_time>> busy_times(const sennit::graph::trace& t);

}  // namespace command
