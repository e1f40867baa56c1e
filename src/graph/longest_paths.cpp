#include "system/failure.hpp"

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
  const auto time_of = [&](std::size_t i) {
    return std::max<std::int64_t>(1, (nodes[i].end - nodes[i].begin).count());
  };
  std::vector<std::int64_t> after(nodes.size());  // from the node on
  for (std::size_t i = 0; i < nodes.size(); ++i) after[i] = time_of(i);
  // Nodes are in the order in which they began. So each comes after its predecessors, and one sweep is enough, unless nodes began
  // at the same time. A file may have any order.
  bool changes = true;
  for (std::size_t sweeps = 0; changes && sweeps <= nodes.size(); ++sweeps) {
    changes = false;
    for (std::size_t i = nodes.size(); i-- > 0;) {
      for (const std::uint32_t p : nodes[i].predecessors) {
        if (after[p] >= time_of(p) + after[i]) continue;
        after[p] = time_of(p) + after[i];
        changes = true;
      }
    }
  }
  const auto longest = static_cast<double>(after.empty() ? 1 : *std::ranges::max_element(after));
  constexpr double most = 1 << 30;

  std::unordered_map<std::string, int, hash, std::equal_to<>> paths;
  paths.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto scaled = static_cast<int>(static_cast<double>(after[i]) / longest * most);
    if (!paths.try_emplace(nodes[i].key, std::max(scaled, 1)).second) {
      detail::fail<std::invalid_argument>("sennit: graph::longest_paths: two nodes have the key '" +
                                          nodes[i].key + "'; give keys texts of their own");
    }
  }
  paths_ =
      std::make_shared<const std::unordered_map<std::string, int, hash, std::equal_to<>>>(std::move(paths));
}

int longest_paths::of(std::string_view key) const noexcept {
  const auto found = paths_->find(key);
  return found != paths_->end() ? found->second : 0;
}

}  // namespace sennit::graph
