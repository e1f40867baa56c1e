// SPDX-License-Identifier: Apache-2.0
#include "machine/places.hpp"

#include <stdexcept>

namespace sennit::sim {

places::places(std::span<const std::vector<unsigned>> cores_by_node) {
  if (cores_by_node.empty())
    throw std::invalid_argument("sennit: a machine has no node; give it at least one");
  for (const std::vector<unsigned>& caches : cores_by_node) {
    if (caches.empty())
      throw std::invalid_argument(
          "sennit: a node of a machine has no cache; give it one that its cores share");
    const unsigned node = nodes();
    const unsigned first_core = cores();
    const unsigned first_cache = this->caches();
    for (const unsigned count : caches) {
      if (count == 0)
        throw std::invalid_argument(
            "sennit: a cache of a machine has no core; leave the cache out, or give it one");
      const unsigned cache = this->caches();
      cores_of_cache_.push_back({cores(), cores() + count});
      node_of_cache_.push_back(node);
      cache_of_.insert(cache_of_.end(), count, cache);
      node_of_.insert(node_of_.end(), count, node);
    }
    cores_of_node_.push_back({first_core, cores()});
    caches_of_node_.push_back({first_cache, this->caches()});
  }
}

}  // namespace sennit::sim
