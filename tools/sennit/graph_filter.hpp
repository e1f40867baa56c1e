// SPDX-License-Identifier: Apache-2.0
// Which nodes of a graph's trace to show.
#pragma once

#include "tools/sennit/graph_waits.hpp"

#include <sennit/graph_trace.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace command {

// A node is shown if it fits all that is given.
struct graph_filter {
  std::string key{};                      // a part of the key
  std::string matching{};                 // a regular expression that fits a part of the key
  std::optional<std::uint32_t> worker{};  // that computed the node
  std::optional<std::uint32_t> color{};   // one of the node's
  std::optional<double> from{};           // nanoseconds; nodes that ended before are left out
  std::optional<double> to{};             // nodes that began later are left out
  bool chain = false;                     // only nodes of the longest chain
  bool any() const;
};

// The options of the command that make a filter, as a message lists them.
extern const char* const filter_options;

// The positions in t.nodes() of the nodes that fit, in order. Throws std::runtime_error, which names the file and the
// option, if a filter cannot be applied to this trace.
std::vector<std::uint32_t> select(const sennit::graph::trace& t, const std::string& file,
                                  const graph_filter& filter, const std::optional<graph_chain>& chain);

// How to get the predecessors that a trace does not have, for messages.
std::string how_to_get_predecessors(const sennit::graph::trace& t);

}  // namespace command
