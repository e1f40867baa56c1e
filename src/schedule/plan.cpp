// SPDX-License-Identifier: Apache-2.0
#include "schedule/plan.hpp"

#include <cstddef>

namespace sennit::detail {

plan::plan(const steal_tree& tree) : roles_(tree.roles) {
  std::size_t nodes = 0;
  walk(tree.root, [&](const visit&) { ++nodes; });
  steps_.reserve(nodes + 2 * (nodes + 1));
  root_ = add(tree.root, 0);
  // Level by level, so that a deep tree needs no deep recursion.
  for (std::size_t i = 0; i != steps_.size(); ++i) {
    const steal* const of = steps_[i].of;
    if (of == nullptr) continue;
    steps_[i].inside = add(of->inside, of->what == steal::kind::loop ? of->size : steps_[i].loop);
  }
}

const step* plan::add(const std::vector<steal>& list, std::uint64_t loop) {
  steps_.push_back({});
  const std::size_t first = steps_.size();
  for (const steal& s : list) steps_.push_back({.at = s.at, .of = &s, .loop = loop});
  steps_.push_back({});
  return &steps_[first];
}

}  // namespace sennit::detail
