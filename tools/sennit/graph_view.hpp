// SPDX-License-Identifier: Apache-2.0
// A graph's trace as a page, as text and as a drawing.
#pragma once

#include "tools/sennit/graph_against.hpp"
#include "tools/sennit/graph_filter.hpp"
#include "tools/sennit/graph_waits.hpp"

#include <sennit/graph_trace.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace command {

// A trace, what is known of its nodes, and which of them are shown.
struct graph_view {
  // Throws what select() throws. `t` outlives the view.
  graph_view(const sennit::graph::trace& t, const std::string& file, const graph_filter& filter = {});

  const sennit::graph::trace& t;
  std::vector<node_wait> waits;
  std::optional<graph_chain> chain;  // of the whole run
  std::vector<std::uint32_t> shown;  // positions, in order
  bool filtered = false;

  // Those of the shown nodes that took longest, or waited longest for a worker, the longest first.
  std::vector<std::uint32_t> longest(std::size_t most) const;
  std::vector<std::uint32_t> most_waiting(std::size_t most) const;
};

// `against`: null if there is no comparison.
std::string text(const graph_view& view, std::string_view name, const graph_comparison* against = nullptr);

// For Graphviz. Throws std::runtime_error, which names the file and the remedy, if the drawing would have more nodes or
// edges than anybody can read, or if the trace has no edges.
inline constexpr std::size_t most_drawn_nodes = 1'000;
inline constexpr std::size_t most_drawn_edges = 5'000;
std::string dot(const graph_view& view, const std::string& file);

// A page whose nodes would take more bytes has shares of each worker's time in their place, and only those nodes that
// are in one of its tables.
inline constexpr std::size_t most_bytes_of_nodes = 3'000'000;
std::string page(const graph_view& view, std::string_view name, const graph_comparison* against = nullptr);

// With three significant digits and a suitable unit: 1.23 ms, 45 ns.
std::string show_time(std::chrono::nanoseconds time);

// The key in a line of text: without characters that a terminal takes for its own, and cut if it is long.
std::string shown_key(std::string_view key, std::size_t most = 40);

}  // namespace command
