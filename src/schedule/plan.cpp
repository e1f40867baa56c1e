#include "schedule/plan.hpp"

#include <cstddef>

namespace sennit::detail {

plan::plan(const steal_tree& tree) : roles_(tree.roles) {
  std::size_t nodes = 0;
  walk(tree.root, [&](const visit&) { ++nodes; });
  steps_.reserve(nodes + 2 * (nodes + 1));
  root_ = add(tree.root);
  // Level by level, so that a deep tree needs no deep recursion.
  for (std::size_t i = 0; i != steps_.size(); ++i) {
    if (steps_[i].of != nullptr) steps_[i].inside = add(steps_[i].of->inside);
  }
}

const step* plan::add(const std::vector<steal>& list) {
  steps_.push_back({});
  const std::size_t first = steps_.size();
  for (const steal& s : list) steps_.push_back({.at = s.at, .of = &s});
  steps_.push_back({});
  return &steps_[first];
}

}  // namespace sennit::detail
