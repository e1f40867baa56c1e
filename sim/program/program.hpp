// SPDX-License-Identifier: Apache-2.0
// A parallel program, as the simulator and `sennit scale` see it: a tree of strands and of what forks them.
#pragma once

#include "time/picoseconds.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sennit::sim {

using node_number = std::uint32_t;
inline constexpr node_number no_node = ~node_number{0};
inline constexpr std::uint32_t no_color = ~std::uint32_t{0};

// A range of memory that a strand touches. Blocks are numbered from 0; a block lies on one node of the machine.
struct touch {
  std::uint32_t block;
  std::uint32_t bytes;
  bool writes;
};

// What a node of the tree is, and what its children are.
enum class part : std::uint8_t {
  work,    // a strand's piece without constructs; no children
  series,  // its children one after the other
  fork,    // two children: the left one at once, the right one may be stolen
  loop,  // the parts of an iteration space, in order, each with its number of iterations; any place between two
         // iterations may be a cut. A part that is work is uniform: its iterations take equal times.
  spawn,  // one child, which may be stolen; the series goes on beside it
  wait,   // for all children that the series around has spawned so far; no children
  graph,  // tasks that begin when their predecessors have ended
  splice  // calls that are interleaved: trees of forks and series whose strands are steps, with their touches as effects
};

struct node {
  part what = part::work;
  std::uint32_t site = 0;          // in program::sites(); 0: not known
  picoseconds time = 0;            // of work: on data that is at hand
  std::uint64_t iterations = 1;    // of a part of a loop
  std::uint32_t color = no_color;  // of a task, or of a branch that is for one place
  std::uint32_t first = 0;         // of work: in touches; of others: in children
  std::uint32_t count = 0;
  std::uint32_t edges = 0;  // of a graph: where its edges begin
};

// Nodes are added from the leaves up, so each child has a smaller number than its parent. A tree is not changed once it is
// made, and several threads may read it.
//
// Example:
//   sennit::sim::program p;
//   const auto leaf = p.work(5 * sennit::sim::nanosecond);
//   p.set_root(p.fork(leaf, leaf));  // a child may stand in several places
class program {
 public:
  node_number work(picoseconds time, std::span<const touch> touched = {}, std::uint32_t site = 0);
  node_number series(std::span<const node_number> parts, std::uint32_t site = 0);
  node_number fork(node_number left, node_number right, std::uint32_t site = 0);
  // Parts with their iterations, as each() gives them.
  node_number loop(std::span<const node_number> parts, std::uint32_t site = 0);
  // The node as so many iterations of a loop, with the time of all of them.
  node_number each(std::uint64_t iterations, node_number all);
  node_number spawn(node_number child, std::uint32_t site = 0);
  node_number wait(std::uint32_t site = 0);
  struct edge {
    std::uint32_t before;  // tasks, numbered from 0
    std::uint32_t after;
  };
  // Throws std::invalid_argument if an edge names no task. A cycle is found by whoever runs the graph.
  node_number graph(std::span<const node_number> tasks, std::span<const edge> edges, std::uint32_t site = 0);
  // The calls one after the other, interleaved as far as what their steps touch allows.
  node_number splice(std::span<const node_number> calls, std::uint32_t site = 0);
  node_number colored(node_number n, std::uint32_t color);
  void set_root(node_number n) { root_ = n; }
  // Of a construct, for people: "file:line", or a user's name. Returns its number, from 1.
  std::uint32_t site(std::string name);

  node_number root() const noexcept { return root_; }
  std::size_t size() const noexcept { return nodes_.size(); }
  const node& at(node_number n) const noexcept { return nodes_[n]; }
  std::span<const node_number> children(const node& n) const noexcept {
    return {children_.data() + n.first, n.count};
  }
  std::span<const touch> touches(const node& n) const noexcept {
    return {touches_.data() + n.first, n.count};
  }
  // Of a graph, sorted.
  std::span<const edge> edges(const node& n) const noexcept;
  const std::string& site_name(std::uint32_t site) const noexcept { return sites_[site]; }
  std::size_t sites() const noexcept { return sites_.size(); }
  // One more than the largest number of a block.
  std::uint32_t blocks() const noexcept { return blocks_; }

 private:
  node_number add(node n, std::span<const node_number> children);

  std::vector<node> nodes_;
  std::vector<node_number> children_;
  std::vector<touch> touches_;
  std::vector<edge> edges_;
  std::vector<std::uint32_t> edge_counts_;  // of graphs, by node::edges
  std::vector<std::size_t> edge_begins_;
  std::vector<std::string> sites_{""};
  node_number root_ = no_node;
  std::uint32_t blocks_ = 0;
};

}  // namespace sennit::sim
