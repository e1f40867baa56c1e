// SPDX-License-Identifier: Apache-2.0
// What a trace tells of a graph, and graphs that are taken to be like it.
#pragma once

#include "program/program.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace sennit::sim {

struct told_graph {
  std::vector<node_number> tasks;
  std::vector<program::edge> edges;
  node_number as_it_was = no_node;
  picoseconds work = 0;                         // of its nodes
  std::map<std::uint64_t, node_number> scaled;  // graphs like it, by their shares of its work

  // A task that waits for itself, by way of others, if there is one.
  std::optional<std::size_t> waits_for_itself() const;
  // Adds work of a graph of which nothing more is told: as if it went on like this one, or as if it were this one, of so much work.
  void add_like(program& p, bool whole, picoseconds time, std::uint32_t site, std::vector<node_number>& to);

 private:
  node_number like(program& p, picoseconds time, std::uint32_t site);
};

}  // namespace sennit::sim
