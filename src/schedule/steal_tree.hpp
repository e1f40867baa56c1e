// SPDX-License-Identifier: Apache-2.0
// A steal tree: which worker ran what of a region. The tree has one node for each thing that ran on another
// worker. docs/design/schedules.md explains the numbering. Pure: no threads, no clock.
#pragma once

#include "schedule/graph_record.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sennit::detail {

// An event on one worker of the schedule. Workers are called roles: role 0 began the region.
struct event {
  std::uint32_t role = 0;
  std::uint32_t sequence = 0;  // each role's events are numbered from 0 in their order

  auto operator<=>(const event&) const = default;
};

// A node of the tree. Lists of nodes are sorted by `at`, which is unique in each list.
//
// On each level of nesting, the constructs of a strand are counted in serial order. A construct in the left
// branch of a fork, in a child of a group or in a loop is one level deeper. A construct in a right branch is
// on the same level, and follows its fork in the same list. So `at` does not depend on how the region was
// scheduled.
struct steal {
  enum class kind : std::uint8_t {
    fork,   // at: constructs before it in this list. inside: its left branch. A thief took its right branch.
    child,  // of a group. at: as for a fork. inside: its body
    wait,   // a group's wait for its children. at: as for a fork
    loop,   // at: as for a fork. size: iterations. inside: forks that cut it, constructs in iterations
    graph,  // at: as for a fork. inside: constructs in its nodes, if it ran on its strand's worker alone
  };
  kind what = kind::fork;
  // fork, child: whether another worker took it. If not, the node exists for what is inside it.
  bool taken = false;
  // fork, wait, graph: the strand waited at the end of the construct and freed its worker. `resumed` says where the
  // strand continued.
  bool waited = false;
  std::uint64_t at = 0;
  std::uint64_t size = 0;
  std::uint64_t site = 0;  // in the program's code: schedule/sites.hpp; 0: not known. Comparisons ignore it
  std::uint64_t cut = 0;   // fork that cuts a loop: the first iteration of its right branch; 0: the middle
  event begun{};           // if taken
  event resumed{};         // if waited
  span_of_time ran{};      // if taken
  span_of_time paused{};   // if waited
  std::shared_ptr<const graph_record> nodes{};  // of a graph; null: it ran on its strand's worker alone
  std::vector<steal> inside{};

  // Compares all but the times.
  bool operator==(const steal&) const;
};

// A file of code.
struct code_module {
  std::string file;
  std::string build_id;  // empty: it has none

  bool operator==(const code_module&) const = default;
};

struct steal_tree {
  std::uint32_t roles = 1;             // workers in the region
  std::uint64_t length = 0;            // nanoseconds from beginning to end; 0: not known
  std::vector<steal> root;             // the list of the region's own strand, which is event 0 of role 0
  std::vector<code_module> modules{};  // that sites of a loaded tree are in

  bool operator==(const steal_tree&) const;
};

// A tree can be as deep as the recursion of the program, and its destructor recurses. So the owner of a tree
// takes it apart from its leaves. Nothing here recurses.
void take_apart(std::vector<steal>&& list) noexcept;
struct dismantle {
  void operator()(steal_tree* tree) const noexcept;
};
using deep_tree = std::unique_ptr<steal_tree, dismantle>;

// For schedules, which share the tree.
std::shared_ptr<const steal_tree> hold(steal_tree&& tree);

// What is wrong with the tree; empty if nothing is. Call it for every tree that comes from outside.
std::string complaint(const steal_tree& tree);

// The largest number of roles in a tree from outside. It is far above the number of a runtime's workers.
inline constexpr std::uint32_t most_roles = 1U << 16;
// The limit of positions and sizes. Bounds of a poisoned loop are not below it.
inline constexpr std::uint64_t most_constructs = std::uint64_t{1} << 62;

std::size_t steals(const steal_tree& tree);
// The deepest level of nesting with a node; 0 if the tree has none.
std::size_t depth(const steal_tree& tree);
bool has_times(const steal_tree& tree);

// Renumbers the events of each role from 0, which is the beginning of the region for role 0. Events keep
// their order; equal numbers are ordered serially.
void number_events(steal_tree& tree);

// Which steals, in serial order, are the `kept` outermost. Of steals at the same depth, these are the first in serial
// order.
std::vector<bool> outermost(const steal_tree& tree, std::size_t kept);
// The tree with only these steals, and the nodes that lead to them. A branch whose steal is removed runs on the strand that
// forked it. Events are numbered again.
steal_tree prune(const steal_tree& tree, std::size_t kept);
steal_tree without_times(const steal_tree& tree);

// A node and its position.
struct visit {
  const steal& node;
  const steal* parent;    // null for a node of the root's list
  const steal* previous;  // in the same list; null at its beginning
  const steal* next;      // null at the end of the list
  std::size_t level;  // the number of constructs around it; constructs in a loop are on the loop's own level
};

// Visits a list and everything inside it in serial order: calls enter(visit), visits the inside of the node,
// then calls leave(node).
template <class Enter, class Leave>
void walk(const std::vector<steal>& root, Enter&& enter, Leave&& leave) {
  struct cursor {
    const std::vector<steal>* list;
    std::size_t at;
    const steal* parent;
    std::size_t level;
  };
  std::vector<cursor> open{{&root, 0, nullptr, 0}};
  while (true) {
    const cursor top = open.back();
    const std::vector<steal>& list = *top.list;
    if (top.at == list.size()) {
      open.pop_back();
      if (open.empty()) return;
      const cursor& above = open.back();
      leave((*above.list)[above.at - 1]);
      continue;
    }
    ++open.back().at;
    const steal& node = list[top.at];
    enter(visit{node, top.parent, top.at == 0 ? nullptr : &list[top.at - 1],
                top.at + 1 == list.size() ? nullptr : &list[top.at + 1], top.level});
    open.push_back({&node.inside, 0, &node, top.level + (node.what == steal::kind::loop ? 0 : 1)});
  }
}

template <class Enter>
void walk(const std::vector<steal>& root, Enter&& enter) {
  walk(root, enter, [](const steal&) {});
}

}  // namespace sennit::detail
