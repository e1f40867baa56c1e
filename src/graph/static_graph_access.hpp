// SPDX-License-Identifier: Apache-2.0
// The sorted edges of a static_graph, for runs that have more to do for a node than its own.
#pragma once

#include <sennit/static_graph.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sennit::detail {

class static_graph_access {
 public:
  using node = graph::static_graph::node;

  explicit static_graph_access(graph::static_graph& g) noexcept : graph_(g) {}

  // Throws graph::cycle_error. Precondition of the others: it has been called since the latest edge was added.
  void sort() { graph_.sort_edges(); }
  std::uint32_t& waiting(node n) noexcept { return graph_.nodes_[n].waiting; }
  std::uint32_t predecessors(node n) const noexcept { return graph_.nodes_[n].predecessors; }
  std::span<const node> successors(node n) const noexcept {
    const auto& s = graph_.nodes_[n];
    return {graph_.after_.data() + s.first, graph_.after_.data() + s.last};
  }
  // Nodes without predecessors, latest first.
  const std::vector<node>& sources() const noexcept { return graph_.sources_; }
  void restore() noexcept {
    for (auto& n : graph_.nodes_) n.waiting = n.predecessors;
  }

 private:
  graph::static_graph& graph_;
};

}  // namespace sennit::detail
