// SPDX-License-Identifier: Apache-2.0
#include "schedule/timeline.hpp"

#include <algorithm>
#include <unordered_map>

namespace sennit::detail {
namespace {

using kind = steal::kind;

bool known(const span_of_time& s) { return s.end > 0; }

// For each node, a time at which the node was running. If the node has no times, a time of a node inside it.
std::unordered_map<const steal*, std::uint64_t> moments(const steal_tree& tree) {
  std::unordered_map<const steal*, std::uint64_t> found;
  std::vector<const steal*> open;
  walk(
      tree.root,
      [&](const visit& at) {
        open.push_back(&at.node);
        if (at.node.taken && known(at.node.ran)) {
          found[&at.node] = at.node.ran.begin;
        } else if (at.node.waited && known(at.node.paused)) {
          found[&at.node] = at.node.paused.begin;
        }
      },
      [&](const steal& node) {
        open.pop_back();
        const auto own = found.find(&node);
        if (own != found.end() && !open.empty()) found.emplace(open.back(), own->second);
      });
  return found;
}

class finder {
 public:
  explicit finder(const steal_tree& tree) : tree_(tree), moments_(moments(tree)) {
    found_.push_back({nullptr, 0, {{event{}, {0, tree.length}}}});
    running_.push_back({0});
  }

  std::vector<strand> find() {
    walk(tree_.root, [&](const visit& at) { enter(at.node); }, [&](const steal&) { running_.pop_back(); });
    std::sort(pauses_.begin(), pauses_.end(),
              [](const pause& a, const pause& b) { return a.node->paused.begin < b.node->paused.begin; });
    for (const pause& p : pauses_) cut(found_[p.strand].stretches, *p.node);
    return std::move(found_);
  }

 private:
  // A strand's pause at the end of this construct.
  struct pause {
    std::size_t strand;
    const steal* node;
  };

  void enter(const steal& node) {
    std::vector<std::size_t>& list = running_.back();
    leave_right_branches(list, node);
    const std::size_t self = list.back();
    if (node.waited && known(node.paused)) pauses_.push_back({self, &node});
    std::size_t inside = self;
    if (node.taken) {
      const std::size_t taken = found_.size();
      found_.push_back({&node, self, {{node.begun, node.ran}}});
      if (node.what == kind::child) {
        inside = taken;
      } else {
        list.push_back(taken);
      }
    }
    running_.push_back({inside});
  }

  // What began after the end of a right branch is not in the branch, but after the branch's join.
  void leave_right_branches(std::vector<std::size_t>& list, const steal& node) const {
    const auto moment = moments_.find(&node);
    if (moment == moments_.end()) return;
    while (list.size() > 1 && found_[list.back()].origin->ran.end <= moment->second) list.pop_back();
  }

  // Sorts stretches by time. Whatever the times are, no stretch ends before it begins.
  static void cut(std::vector<stretch>& stretches, const steal& node) {
    span_of_time& last = stretches.back().when;
    const std::uint64_t end = std::max(last.end, node.paused.end);
    last.end = std::max(last.begin, node.paused.begin);
    stretches.push_back({node.resumed, {std::max(last.end, node.paused.end), end}});
  }

  const steal_tree& tree_;
  std::unordered_map<const steal*, std::uint64_t> moments_;
  std::vector<strand> found_;
  // For each open list: the strand that reached the list, then nested right branches.
  std::vector<std::vector<std::size_t>> running_;
  std::vector<pause> pauses_;
};

}  // namespace

std::vector<strand> strands(const steal_tree& tree) {
  if (tree.length == 0) return {};
  return finder(tree).find();
}

}  // namespace sennit::detail
