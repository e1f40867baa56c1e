// SPDX-License-Identifier: Apache-2.0
#include "graph/longest_path.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/longest_paths.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sennit::graph {

longest_paths::longest_paths(const trace& seen) {
  const std::vector<trace::node>& nodes = seen.nodes();
  if (!seen.has_predecessors() && !nodes.empty()) {
    detail::fail<std::invalid_argument>(
        "sennit: graph::longest_paths: the trace has no predecessors; let it have them by "
        "graph::trace seen(" +
        std::to_string(nodes.size()) + "), or more");
  }
  std::vector<std::vector<std::uint32_t>> after(nodes.size());
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    for (const std::uint32_t p : nodes[n].predecessors) after[p].push_back(n);
  }
  const std::vector<std::int32_t> priorities = detail::longest_path_priorities(
      nodes.size(), [&](std::uint32_t n) -> const auto& { return after[n]; },
      [&](std::uint32_t n) {
        return std::max(1.0, static_cast<double>((nodes[n].end - nodes[n].begin).count()));
      });

  detail::text_map<int> paths;
  paths.reserve(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (!paths.try_emplace(nodes[n].key, priorities[n]).second) {
      detail::fail<std::invalid_argument>("sennit: graph::longest_paths: two nodes have the key '" +
                                          nodes[n].key + "'; give keys texts of their own");
    }
  }
  paths_ = std::make_shared<const detail::text_map<int>>(std::move(paths));
}

int longest_paths::of(std::string_view key) const noexcept {
  const auto found = paths_->find(key);
  return found != paths_->end() ? found->second : 0;
}

}  // namespace sennit::graph
