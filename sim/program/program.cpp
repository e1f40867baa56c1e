// SPDX-License-Identifier: Apache-2.0
#include "program/program.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <utility>

namespace sennit::sim {

node_number program::add(node n, std::span<const node_number> children) {
  n.first = static_cast<std::uint32_t>(children_.size());
  n.count = static_cast<std::uint32_t>(children.size());
  for ([[maybe_unused]] const node_number c : children) assert(c < nodes_.size());
  children_.insert(children_.end(), children.begin(), children.end());
  nodes_.push_back(n);
  return static_cast<node_number>(nodes_.size() - 1);
}

node_number program::work(picoseconds time, std::span<const touch> touched, std::uint32_t site) {
  node n{.what = part::work, .site = site, .time = time};
  n.first = static_cast<std::uint32_t>(touches_.size());
  n.count = static_cast<std::uint32_t>(touched.size());
  touches_.insert(touches_.end(), touched.begin(), touched.end());
  for (const touch& t : touched) blocks_ = std::max(blocks_, t.block + 1);
  nodes_.push_back(n);
  return static_cast<node_number>(nodes_.size() - 1);
}

node_number program::series(std::span<const node_number> parts, std::uint32_t site) {
  return add({.what = part::series, .site = site}, parts);
}

node_number program::fork(node_number left, node_number right, std::uint32_t site) {
  const node_number both[] = {left, right};
  return add({.what = part::fork, .site = site}, both);
}

node_number program::loop(std::span<const node_number> parts, std::uint32_t site) {
  std::uint64_t iterations = 0;
  for (const node_number p : parts) iterations += nodes_[p].iterations;
  const node_number n = add({.what = part::loop, .site = site}, parts);
  nodes_[n].iterations = iterations;
  return n;
}

node_number program::each(std::uint64_t iterations, node_number all) {
  node n = nodes_[all];
  n.iterations = iterations;
  nodes_.push_back(n);
  return static_cast<node_number>(nodes_.size() - 1);
}

node_number program::spawn(node_number child, std::uint32_t site) {
  return add({.what = part::spawn, .site = site}, {&child, 1});
}

node_number program::wait(std::uint32_t site) { return add({.what = part::wait, .site = site}, {}); }

node_number program::splice(std::span<const node_number> calls, std::uint32_t site) {
  return add({.what = part::splice, .site = site}, calls);
}

node_number program::graph(std::span<const node_number> tasks, std::span<const edge> edges,
                           std::uint32_t site) {
  for (const edge& e : edges) {
    if (e.before >= tasks.size() || e.after >= tasks.size())
      throw std::invalid_argument("graph: an edge names task " + std::to_string(std::max(e.before, e.after)) +
                                  " of " + std::to_string(tasks.size()));
  }
  const node_number n = add({.what = part::graph, .site = site}, tasks);
  nodes_[n].edges = static_cast<std::uint32_t>(edge_counts_.size());
  edge_begins_.push_back(edges_.size());
  edge_counts_.push_back(static_cast<std::uint32_t>(edges.size()));
  edges_.insert(edges_.end(), edges.begin(), edges.end());
  std::ranges::sort(std::span(edges_).last(edges.size()), {},
                    [](const edge& e) { return std::pair(e.before, e.after); });
  return n;
}

node_number program::colored(node_number n, std::uint32_t color) {
  node copy = nodes_[n];
  copy.color = color;
  nodes_.push_back(copy);
  return static_cast<node_number>(nodes_.size() - 1);
}

std::uint32_t program::site(std::string name) {
  sites_.push_back(std::move(name));
  return static_cast<std::uint32_t>(sites_.size() - 1);
}

std::span<const program::edge> program::edges(const node& n) const noexcept {
  return {edges_.data() + edge_begins_[n.edges], edge_counts_[n.edges]};
}

}  // namespace sennit::sim
