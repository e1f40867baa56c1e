// SPDX-License-Identifier: Apache-2.0
// What a run stores about a node.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/local_queue.hpp>

#include <atomic>
#include <cstdint>

namespace sennit::detail {

using node_number = std::uint32_t;

// The next operation on a node: find its predecessors, or compute it.
class graph_item {
 public:
  graph_item() = default;
  static graph_item explore(node_number node) noexcept { return graph_item(std::uint64_t{node} << 1); }
  static graph_item compute(node_number node) noexcept { return graph_item(std::uint64_t{node} << 1 | 1); }
  static graph_item none() noexcept { return graph_item(~std::uint64_t{0}); }

  graph_item step() const noexcept { return *this; }
  bool is_none() const noexcept { return bits_ == ~std::uint64_t{0}; }
  bool is_ready() const noexcept { return (bits_ & 1) != 0; }
  node_number node() const noexcept { return static_cast<node_number>(bits_ >> 1); }

 private:
  explicit graph_item(std::uint64_t bits) noexcept : bits_(bits) {}
  std::uint64_t bits_;
};

struct colored_item {
  colored_item() = default;
  colored_item(graph_item s) noexcept : todo(s) {}
  static colored_item none() noexcept { return graph_item::none(); }
  graph_item step() const noexcept { return todo; }

  graph_item todo;
  std::uint64_t colors = all_colors;
};

// All zero until the node is made.
struct node_state {
  // The nodes that wait for this one. 0 before the node is made, and `computed` at the end. In between, the
  // low half is the number of the node that made this one, plus one; the high half is the number of the
  // latest link to another waiting node, if there is one.
  std::uint64_t successors;
  // The number of predecessors that have not been computed, once the node has been explored.
  std::uint32_t waiting;
};

// One element of a list of nodes that wait for a node: one of them, and the number of the next link.
struct link {
  node_number node;
  std::uint32_t next;
};

inline constexpr std::uint64_t computed = ~std::uint64_t{0};
inline constexpr node_number nobody = ~node_number{0} - 1;      // no node; made the sink
inline constexpr node_number most_nodes = ~node_number{0} - 1;  // in a run

inline std::atomic_ref<std::uint64_t> successors(node_state& s) noexcept {
  return std::atomic_ref<std::uint64_t>(s.successors);
}
inline std::atomic_ref<std::uint32_t> waiting(node_state& s) noexcept {
  return std::atomic_ref<std::uint32_t>(s.waiting);
}

// Counts down by `count` computed predecessors. Returns true if none is left.
SENNIT_INLINE bool count_down(std::uint32_t& waiting, std::uint32_t count) noexcept {
  const std::atomic_ref left(waiting);
  // ORD[D24] acquire: what the predecessors that were counted before did. Nobody else can be about to count
  // where this is all that is left, so there is nothing to write. Model: models/graph.pml.
  if (left.load(std::memory_order_acquire) == count) return true;
  // ORD[D24] acq_rel: release: what this predecessor did, for the one that counts last; acquire, in that one:
  // what all did. Model: models/graph.pml.
  return left.fetch_sub(count, std::memory_order_acq_rel) == count;
}

}  // namespace sennit::detail
