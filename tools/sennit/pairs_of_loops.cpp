// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/pairs_of_loops.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

namespace command {
namespace {

using sennit::detail::part_of_loop;
using sennit::detail::steal;
using sennit::detail::steal_tree;
using kind = steal::kind;
using role = std::optional<std::uint32_t>;  // none: not known
using times = std::unordered_map<const steal*, std::uint64_t>;

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

// When the first thing happened that a node, or what is inside, knows a time of.
times first_times(const steal_tree& tree) {
  times found;
  std::vector<std::uint64_t> first;
  sennit::detail::walk(
      tree.root,
      [&](const sennit::detail::visit& at) {
        std::uint64_t time = none;
        if (at.node.taken && at.node.ran.end > 0) time = at.node.ran.begin;
        if (at.node.waited && at.node.paused.end > 0) time = std::min(time, at.node.paused.begin);
        first.push_back(time);
      },
      [&](const steal& node) {
        const std::uint64_t time = first.back();
        first.pop_back();
        if (time != none) found.emplace(&node, time);
        if (!first.empty()) first.back() = std::min(first.back(), time);
      });
  return found;
}

// A list of one of the trees, on the way through it in serial order. Empty: the tree has not the construct around it.
class list_walk {
 public:
  list_walk(const std::vector<steal>* list, role by, const times& when)
      : next_(list != nullptr ? list->data() : nullptr),
        end_(list != nullptr ? next_ + list->size() : nullptr),
        by_(by),
        when_(&when) {}

  std::uint64_t at() const { return next_ == end_ ? none : next_->at; }
  // The node at that position, if there is one; the walk then goes on behind it.
  const steal* take(std::uint64_t position) {
    if (at() != position) {
      here_ = may_have_left() ? role() : by_;
      return nullptr;
    }
    const steal* const node = next_++;
    leave_branches(*node);
    here_ = by_;
    return node;
  }
  // Who ran what is at that position.
  role here() const { return here_; }
  void lose() {
    next_ = end_;
    branches_.clear();
    by_ = {};
  }

  void passed_wait(const steal& node) {
    if (node.waited) {
      by_ = node.resumed.role;
    } else if (child_kept_) {
      by_ = {};  // children that nobody took may have moved the strand
    }
    child_kept_ = false;
  }
  void passed_loop(role after) { by_ = after; }
  void passed_child(const steal& node) { child_kept_ |= !node.taken && !node.inside.empty(); }
  void passed_fork(const steal& node, role after_left) {
    const role after = node.waited ? role(node.resumed.role) : after_left;
    if (node.taken) branches_.push_back({node.ran.end, after});
    by_ = node.taken ? role(node.begun.role) : after;
  }
  // Who goes on behind the list.
  role end() const { return branches_.empty() ? by_ : branches_.front().after; }

 private:
  // A right branch that others ran, which may go on.
  struct branch {
    std::uint64_t ends;
    role after;
  };

  const std::uint64_t* time_of(const steal& node) const {
    const auto found = when_->find(&node);
    return found == when_->end() ? nullptr : &found->second;
  }
  void leave_branches(const steal& node) {
    if (branches_.empty()) return;
    const std::uint64_t* const time = time_of(node);
    if (time == nullptr) by_ = {};
    while (time != nullptr && !branches_.empty() && branches_.back().ends <= *time) {
      by_ = branches_.back().after;
      branches_.pop_back();
    }
  }
  // Between the node before and the next one.
  bool may_have_left() const {
    if (branches_.empty()) return false;
    const std::uint64_t* const time = next_ == end_ ? nullptr : time_of(*next_);
    return time == nullptr || branches_.back().ends <= *time;
  }

  const steal* next_;
  const steal* end_;
  role by_;
  role here_;
  bool child_kept_ = false;
  std::vector<branch> branches_;
  const times* when_;
};

class pair_walk {
 public:
  pair_walk(const steal_tree& a, const steal_tree& b, const parts_of_two& found)
      : when_{first_times(a), first_times(b)}, found_(found) {
    open_.push_back({list_walk(&a.root, 0, when_[0]), list_walk(&b.root, 0, when_[1])});
  }

  // Not recursive: trees may be deep.
  void run() {
    while (true) {
      level& top = open_.back();
      const std::uint64_t at = std::min(top.sides[0].at(), top.sides[1].at());
      if (at != none) {
        come_to(top, at);
      } else if (open_.size() > 1) {
        leave();
      } else {
        return;
      }
    }
  }

 private:
  struct level {
    list_walk sides[2];
    const steal* inside[2] = {nullptr, nullptr};  // of which nodes the level above this one is
    level(list_walk a, list_walk b) : sides{std::move(a), std::move(b)} {}
  };

  void come_to(level& top, std::uint64_t at) {
    const steal* const nodes[2] = {top.sides[0].take(at), top.sides[1].take(at)};
    const steal& any = nodes[0] != nullptr ? *nodes[0] : *nodes[1];
    if (nodes[0] != nullptr && nodes[1] != nullptr && nodes[0]->what != nodes[1]->what) {
      for (list_walk& side : top.sides) side.lose();  // two programs
      return;
    }
    if (any.what == kind::loop) return compare(top, nodes, any.size);
    if (any.what == kind::wait) {
      for (int i : {0, 1})
        if (nodes[i] != nullptr) top.sides[i].passed_wait(*nodes[i]);
      return;
    }
    top.inside[0] = nodes[0];
    top.inside[1] = nodes[1];
    const auto list_of = [&](int i) {
      return list_walk(nodes[i] != nullptr ? &nodes[i]->inside : nullptr,
                       role_inside(top.sides[i], nodes[i], any.what), when_[i]);
    };
    open_.push_back({list_of(0), list_of(1)});
  }

  static role role_inside(const list_walk& side, const steal* node, kind what) {
    if (what == kind::fork) return side.here();
    return node != nullptr && node->taken ? role(node->begun.role) : role();
  }

  void leave() {
    const role after[2] = {open_.back().sides[0].end(), open_.back().sides[1].end()};
    open_.pop_back();
    level& top = open_.back();
    for (int i : {0, 1}) {
      const steal* const node = top.inside[i];
      if (node == nullptr) continue;
      if (node->what == kind::fork) {
        top.sides[i].passed_fork(*node, after[i]);
      } else {
        top.sides[i].passed_child(*node);
      }
    }
  }

  void compare(level& top, const steal* const (&nodes)[2], std::uint64_t size) const {
    std::vector<part_of_loop> parts[2];
    bool known = nodes[0] == nullptr || nodes[1] == nullptr || nodes[0]->size == nodes[1]->size;
    for (int i : {0, 1}) {
      list_walk& side = top.sides[i];
      const role by = side.here();
      known = known && by;
      if (nodes[i] == nullptr) {
        if (by) parts[i].push_back({size, *by});
      } else {
        side.passed_loop(by ? role(parts_of_loop(*nodes[i], *by, parts[i])) : role());
      }
    }
    if (known) found_(parts[0], parts[1]);
  }

  const times when_[2];
  const parts_of_two& found_;
  std::vector<level> open_;
};

}  // namespace

void for_each_pair_of_loops(const steal_tree& a, const steal_tree& b, const parts_of_two& found) {
  pair_walk(a, b, found).run();
}

}  // namespace command
