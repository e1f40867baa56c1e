// SPDX-License-Identifier: Apache-2.0
// What a strand keeps of nodes that have values.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/value_readers.hpp>
#include <sennit/detail/graph/values.hpp>

#include <mutex>
#include <utility>
#include <vector>

namespace sennit::detail {

// What is ready, while too many values wait for the end of the exploration. Whoever finds that end takes it.
template <class Item>
class ready_later {
 public:
  // Empties the list `ready`. Returns false without any effect if `is_over()`.
  template <class Over>
  bool put(std::vector<Item>& ready, const Over& is_over) {
    const std::lock_guard guard(mutex_);
    if (is_over()) return false;
    items_.insert(items_.end(), ready.begin(), ready.end());
    ready.clear();
    return true;
  }
  // Called after is_over() has become true. What it returns is nobody else's.
  std::vector<Item> take() {
    const std::lock_guard guard(mutex_);
    return std::exchange(items_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Item> items_;
};

// Values live until the graph has been explored. So a strand explores what it has before it computes what is
// ready, and what is ready stays here until then.
template <class Item, class Value, bool Bounded>
struct value_strand {
  typename graph_values<Value, Bounded>::holder held;
  std::vector<node_number> named;  // predecessors of the node that is being explored
  read_nodes read;                 // by the running node
  std::vector<Item> ready;         // nodes; the first is computed first
};
template <class Item>
struct value_strand<Item, void, false> {
  graph_values<void, false>::holder held;
};

}  // namespace sennit::detail
