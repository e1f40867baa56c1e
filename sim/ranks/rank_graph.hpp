// SPDX-License-Identifier: Apache-2.0
// A graph over ranks to simulate.
#pragma once

#include "time/picoseconds.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sennit::sim {

struct rank_node {
  unsigned rank = 0;
  picoseconds work = 0;
  std::uint64_t bytes = 0;  // of its value
  unsigned pieces = 1;      // equal parts of a loop inside
};

// Nodes in an order in which each comes after its predecessors, as a sequential program would submit them.
class rank_graph {
 public:
  // The new node's number. Precondition: the predecessors are in the graph.
  std::uint32_t add(rank_node node, std::span<const std::uint32_t> predecessors) {
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(node);
    edges_.insert(edges_.end(), predecessors.begin(), predecessors.end());
    ends_.push_back(edges_.size());
    return number;
  }
  std::size_t size() const noexcept { return nodes_.size(); }
  const rank_node& at(std::size_t number) const noexcept { return nodes_[number]; }
  std::span<const std::uint32_t> predecessors(std::size_t number) const noexcept {
    const std::size_t first = number == 0 ? 0 : ends_[number - 1];
    return std::span(edges_).subspan(first, ends_[number] - first);
  }

 private:
  std::vector<rank_node> nodes_;
  std::vector<std::uint32_t> edges_;
  std::vector<std::size_t> ends_;
};

}  // namespace sennit::sim
