// SPDX-License-Identifier: Apache-2.0
#include <sennit/detail/failure.hpp>
#include <sennit/detail/graph/cycle.hpp>
#include <sennit/graph.hpp>
#include <sennit/static_graph.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace sennit::graph {

namespace {

constexpr std::uint64_t most_edges = ~std::uint32_t{0};

}  // namespace

static_graph::node static_graph::add(std::size_t count) {
  const std::size_t first = nodes_.size();
  if (count > detail::most_nodes - first)
    detail::fail<std::length_error>("sennit: a static_graph has at most 2^32 - 2 nodes");
  nodes_.resize(first + count);
  sorted_ = false;
  return static_cast<node>(first);
}

void static_graph::edge(node before, node after) {
  if (before >= nodes_.size() || after >= nodes_.size()) {
    detail::fail<std::out_of_range>("sennit: an edge from " + std::to_string(before) + " to " +
                                    std::to_string(after) + " in a static_graph of " +
                                    std::to_string(nodes_.size()) + " nodes: add() them first");
  }
  if (before == after) detail::fail_with(cycle_error<node>({before}));
  if (edges_.size() == most_edges)
    detail::fail<std::length_error>("sennit: a static_graph has at most 2^32 - 1 edges");
  edges_.push_back({before, after});
  sorted_ = false;
}

static_graph::claim::claim(static_graph& g) : graph_(g) {
  // ORD[D27] acquire: as the run before left the nodes; pairs with the release in ~claim().
  if (g.running_.exchange(true, std::memory_order_acquire))
    detail::fail<std::logic_error>(
        "sennit: this static_graph is being run already; runs at once need graphs of their own");
}

void static_graph::sort_edges() {
  if (sorted_) return;
  place_edges();
  refuse_cycle();
  sorted_ = true;
}

void static_graph::place_edges() {
  after_.resize(edges_.size());
  sources_.clear();
  for (node_sorted& n : nodes_) n = {};
  for (const edge_given& e : edges_) {
    ++nodes_[e.before].last;
    ++nodes_[e.after].predecessors;
  }
  std::uint32_t place = 0;
  for (node_sorted& n : nodes_) {
    n.first = place;
    place += n.last;
    n.last = n.first;
    n.waiting = n.predecessors;
  }
  for (const edge_given& e : edges_) after_[nodes_[e.before].last++] = e.after;
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    if (nodes_[n].predecessors == 0) sources_.push_back(static_cast<node>(n));
  }
}

// The nodes that no order has: they wait for each other, or for such nodes.
std::vector<bool> static_graph::nodes_without_order() {
  std::vector<node> ready = sources_;
  std::vector<bool> left(nodes_.size(), true);
  while (!ready.empty()) {
    const node n = ready.back();
    ready.pop_back();
    left[n] = false;
    for (std::uint32_t i = nodes_[n].first; i < nodes_[n].last; ++i) {
      if (--nodes_[after_[i]].waiting == 0) ready.push_back(after_[i]);
    }
  }
  for (node_sorted& n : nodes_) n.waiting = n.predecessors;
  return left;
}

void static_graph::refuse_cycle() {
  const std::vector<bool> left = nodes_without_order();
  const auto first = std::find(left.begin(), left.end(), true);
  if (first == left.end()) return;
  // Each that is left waits for one that is.
  std::vector<node> awaited(nodes_.size());
  for (const edge_given& e : edges_) {
    if (left[e.before]) awaited[e.after] = e.before;
  }
  detail::fail_with(cycle_error<node>(
      detail::cycle_from(static_cast<node>(first - left.begin()), [&](node n) { return awaited[n]; })));
}

}  // namespace sennit::graph
