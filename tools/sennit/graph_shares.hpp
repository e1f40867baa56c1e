// What the trace of a graph comes to, for each worker and in all.
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
  std::chrono::nanoseconds busy{0};  // in a node, or in several at once
  std::size_t colored = 0;           // nodes that have colors
  std::size_t at_home = 0;           // of those: that ran where one of their colors is
};

// One for each worker.
std::vector<graph_share> shares(const sennit::graph::trace& t);
bool at_home(const sennit::graph::trace::node& n);
// The time of the longest chain of nodes, each a predecessor of the next; none where these are not known.
std::optional<std::chrono::nanoseconds> longest_chain(const sennit::graph::trace& t);

std::string text(const sennit::graph::trace& t, std::string_view name);
std::string dot(const sennit::graph::trace& t);

}  // namespace command
