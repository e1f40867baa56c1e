#include "schedule/plan.hpp"

#include <cstddef>

namespace sennit::detail {

namespace {

std::size_t steps_of(const std::vector<steal>& list) {
  std::size_t sum = list.size() + 2;
  for (const steal& s : list) sum += steps_of(s.inside);
  return sum;
}

}  // namespace

plan::plan(const steal_tree& tree) : roles_(tree.roles) {
  steps_.reserve(steps_of(tree.root));
  root_ = add(tree.root);
}

const step* plan::add(const std::vector<steal>& list) {
  steps_.push_back({});
  const std::size_t first = steps_.size();
  for (const steal& s : list) {
    steps_.push_back({.at = s.at, .inside = nullptr, .of = &s});
  }
  steps_.push_back({});
  const std::size_t end = steps_.size() - 1;
  for (std::size_t i = first; i != end; ++i) steps_[i].inside = add(steps_[i].of->inside);
  return &steps_[first];
}

}  // namespace sennit::detail
