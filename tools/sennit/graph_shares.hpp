// A summary of a graph's trace, for each worker and in total.
#pragma once

#include <sennit/graph_trace.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace command {

struct graph_share {
  std::size_t nodes = 0;
  std::chrono::nanoseconds busy{0};  // in at least one node
  std::size_t colored = 0;           // nodes with colors
  std::size_t at_home = 0;           // of these, nodes that ran at a place of one of their colors
};

// One share for each worker.
std::vector<graph_share> shares(const sennit::graph::trace& t);
bool at_home(const sennit::graph::trace::node& n);
// The time of the longest chain of nodes in which each node is a predecessor of the next. Nothing if
// predecessors are not known.
std::optional<std::chrono::nanoseconds> longest_chain(const sennit::graph::trace& t);

std::string text(const sennit::graph::trace& t, std::string_view name);
std::string dot(const sennit::graph::trace& t);

}  // namespace command
