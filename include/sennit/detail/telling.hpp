// SPDX-License-Identifier: Apache-2.0
// What a run of a graph in a traced region tells of its nodes. docs/protocols/trace_cursors.md, "Graphs".
#pragma once

#include <sennit/detail/config.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace sennit::detail {

// A graph in a traced region, while it runs.
class told_graph;

// A node that has been computed.
struct told_node {
  static constexpr std::uint32_t no_color = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t number = 0;  // in its graph
  std::uint32_t color = no_color;
  std::string name;
  // The numbers of its predecessors, or of its successors: whichever of them the graph knows.
  std::vector<std::uint32_t> before;
  std::span<const std::uint32_t> then;
  // What it reads and writes, as far as is known.
  struct touched {
    std::uint64_t address;
    std::uint64_t bytes;
    bool written;
  };
  std::vector<touched> touches;
};

// The graph that the calling strand is about to run, if a trace tells of it. Who asks first is the one that runs it.
SENNIT_EXPORT SENNIT_COLD told_graph* claim_told_graph() noexcept;
SENNIT_EXPORT SENNIT_COLD std::uint64_t told_now_ns() noexcept;
// False: no more nodes of the graph are to be told.
SENNIT_EXPORT SENNIT_COLD bool tell_node(told_graph& of, const told_node& node, std::uint64_t begun_ns,
                                         std::uint64_t ended_ns) noexcept;

}  // namespace sennit::detail
