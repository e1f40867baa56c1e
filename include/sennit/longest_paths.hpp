// SPDX-License-Identifier: Apache-2.0
// longest_paths: priorities of a graph's nodes, from a run that was traced.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/text_hash.hpp>
#include <sennit/detail/graph/tracing.hpp>
#include <sennit/graph_trace.hpp>

#include <memory>
#include <string_view>

namespace sennit::graph {

// The longest path from each node to the end of the graph, by the times of a run that was traced. As the priorities of
// graph::run(), it lets those nodes begin first on which most of what is left depends: the critical path. A value, which is
// cheap to copy. Nodes are known by the texts of their keys, as in a trace. Those that the trace does not have come last.
//
// Thread-safety: any number of threads may read it at the same time. Cost of a call: the text of the key, and a look for it.
//
// Example:
//   #include <vector>
//
//   // The second run knows what takes long.
//   void build_twice(int last, void (*build)(int), std::vector<int> (*needs)(int)) {
//     sennit::graph::trace seen;
//     sennit::graph::run(last, sennit::graph::nodes{.predecessors = needs, .compute = build, .trace = &seen});
//     sennit::graph::run(last, sennit::graph::nodes{.predecessors = needs,
//                                                   .compute = build,
//                                                   .priority = sennit::graph::longest_paths(seen)});
//   }
class SENNIT_EXPORT longest_paths {
 public:
  // Throws std::invalid_argument if the trace left predecessors out, as it had more nodes than it was made for, or, naming
  // the key, if two nodes have keys of one text.
  explicit longest_paths(const trace& seen);

  // The priority of the node with this key.
  template <class Key>
  int operator()(const Key& key) const {
    return of(detail::label_of_key<Key>(key));
  }
  // From 0, for a key that the trace does not have, to 2^30, for the beginning of the longest path.
  int of(std::string_view key) const noexcept;

 private:
  std::shared_ptr<const detail::text_map<int>> paths_;
};

}  // namespace sennit::graph
