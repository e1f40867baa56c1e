// SPDX-License-Identifier: Apache-2.0
// What each worker did of a graph.
#pragma once

#include <sennit/graph_trace.hpp>

#include <chrono>
#include <cstddef>
#include <vector>

namespace command {

struct graph_share {
  std::size_t nodes = 0;
  std::chrono::nanoseconds busy{0};   // in at least one node
  std::chrono::nanoseconds first{0};  // when the worker's first node began; the run's length if it had none
  std::chrono::nanoseconds last{0};   // when its last node ended; 0 if it had none
  std::size_t colored = 0;            // nodes with colors
  std::size_t at_home = 0;            // of these, nodes that ran at a place of one of their colors
};

// One share for each worker.
std::vector<graph_share> shares(const sennit::graph::trace& t);
bool at_home(const sennit::graph::trace::node& n);

}  // namespace command
