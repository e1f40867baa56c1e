// SPDX-License-Identifier: Apache-2.0
// Where the cores of a machine are: machine > NUMA node > cores that share the last-level cache > core.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sennit::sim {

// How near two cores are to each other.
enum class distance : std::uint8_t { same_core, same_cache, same_node, other_node };

// Numbers in a row: cores of a cache, or of a node.
struct number_range {
  unsigned first = 0;
  unsigned end = 0;
  unsigned size() const noexcept { return end - first; }
};

// The places of a machine. Cores, caches and nodes are each numbered from 0 in the order of the tree, so that the cores of a
// cache, or of a node, follow one another. Not changed once it is made.
//
// Example: two nodes with two caches of four cores each.
//   const std::vector<std::vector<unsigned>> nodes(2, {4, 4});
//   const sennit::sim::places where(nodes);
//   where.between(3, 4);  // distance::same_node
class places {
 public:
  // One core.
  places() : places(std::vector<std::vector<unsigned>>{{1}}) {}
  // For each node and each cache in it, the number of cores. Throws std::invalid_argument if there is a node without a cache
  // or a cache without a core, or if there is no node.
  explicit places(std::span<const std::vector<unsigned>> cores_by_node);

  unsigned cores() const noexcept { return static_cast<unsigned>(cache_of_.size()); }
  unsigned caches() const noexcept { return static_cast<unsigned>(node_of_cache_.size()); }
  unsigned nodes() const noexcept { return static_cast<unsigned>(cores_of_node_.size()); }

  unsigned cache_of(unsigned core) const noexcept { return cache_of_[core]; }
  unsigned node_of(unsigned core) const noexcept { return node_of_[core]; }
  unsigned node_of_cache(unsigned cache) const noexcept { return node_of_cache_[cache]; }
  number_range cores_of_cache(unsigned cache) const noexcept { return cores_of_cache_[cache]; }
  number_range cores_of_node(unsigned node) const noexcept { return cores_of_node_[node]; }
  number_range caches_of_node(unsigned node) const noexcept { return caches_of_node_[node]; }

  distance between(unsigned a, unsigned b) const noexcept {
    if (a == b) return distance::same_core;
    if (cache_of_[a] == cache_of_[b]) return distance::same_cache;
    return node_of_[a] == node_of_[b] ? distance::same_node : distance::other_node;
  }

  bool operator==(const places& other) const noexcept {
    return cache_of_ == other.cache_of_ && node_of_cache_ == other.node_of_cache_;
  }

 private:
  std::vector<unsigned> cache_of_;  // by core
  std::vector<unsigned> node_of_;
  std::vector<unsigned> node_of_cache_;
  std::vector<number_range> cores_of_cache_;
  std::vector<number_range> cores_of_node_;
  std::vector<number_range> caches_of_node_;
};

}  // namespace sennit::sim
