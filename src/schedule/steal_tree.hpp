// A steal tree: which worker ran what of a region, with one node for each thing that ran elsewhere.
// docs/design/schedules.md explains the numbering. Pure: no threads, no clock.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sennit::detail {

// What happened on one worker of the schedule. Workers are roles: role 0 is the one that began the region.
struct event {
  std::uint32_t role = 0;
  std::uint32_t sequence = 0;  // the role's events are numbered from 0 in their order

  auto operator<=>(const event&) const = default;
};

// When, in nanoseconds since the region began. Zero where it is not known. No part of what a schedule is.
struct span_of_time {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Lists of nodes are in the order of `at`, which is unique in each.
//
// At each level of a strand's nesting constructs are counted in serial order: a construct in the left branch
// of a fork, in a child of a group or in a loop is one level deeper; one in a right branch is not, and
// follows its fork in the same list. So `at` is the same however the region is scheduled.
struct steal {
  enum class kind : std::uint8_t {
    fork,   // at: constructs before it in this list. inside: its left branch. Its right branch was taken.
    child,  // of a group. at: as for a fork. inside: its body
    wait,   // of a group, for its children. at: as for a fork
    loop,   // at: as for a fork. size: iterations. inside: the forks that halve it, and what is in iterations
  };
  kind what = kind::fork;
  // fork, child: another worker took it; else it is here for what is inside.
  bool taken = false;
  // fork, wait: the strand gave its worker back at the end of the construct, and `resumed` says who went on.
  bool waited = false;
  std::uint64_t at = 0;
  std::uint64_t size = 0;
  event begun{};          // if taken
  event resumed{};        // if waited
  span_of_time ran{};     // if taken
  span_of_time paused{};  // if waited
  std::vector<steal> inside{};

  // But for times.
  bool operator==(const steal&) const;
};

struct steal_tree {
  std::uint32_t roles = 1;   // workers that were there
  std::uint64_t length = 0;  // nanoseconds from beginning to end; 0: unknown
  std::vector<steal> root;   // the list of the region's own strand, which role 0 began as its event 0

  bool operator==(const steal_tree&) const;
};

// A tree can be as deep as the program's recursion, and its destructor recurses. So what owns one takes it
// apart from its leaves, and nothing here recurses.
void take_apart(std::vector<steal>&& list) noexcept;
struct dismantle {
  void operator()(steal_tree* tree) const noexcept;
};
using deep_tree = std::unique_ptr<steal_tree, dismantle>;

// For a schedule, which shares it.
std::shared_ptr<const steal_tree> hold(steal_tree&& tree);

// What is wrong with the tree; empty if nothing is. Whoever gets a tree from elsewhere asks this first.
std::string complaint(const steal_tree& tree);

// Workers of a tree from elsewhere; far above those of a runtime.
inline constexpr std::uint32_t most_roles = 1U << 16;
// Positions and sizes are below it: a loop's poisoned bounds are not.
inline constexpr std::uint64_t most_constructs = std::uint64_t{1} << 62;

std::size_t steals(const steal_tree& tree);
// Levels of nesting that the tree has nodes at; 0 if it has none.
std::size_t depth(const steal_tree& tree);
bool has_times(const steal_tree& tree);

// Numbers each role's events from 0, the region's beginning included, in the order they have. Equal ones are
// put in serial order.
void number_events(steal_tree& tree);

// The tree with `kept` of its steals, the outermost, and what leads to them. Of as deep ones the first in
// serial order stay. What loses its thief runs on the strand that forked. Events are numbered anew.
steal_tree prune(const steal_tree& tree, std::size_t kept);
steal_tree without_times(const steal_tree& tree);

// A node and where it is.
struct visit {
  const steal& node;
  const steal* parent;    // nullptr in the root's list
  const steal* previous;  // in the same list; nullptr at its beginning
  const steal* next;      // nullptr at its end
  std::size_t level;      // constructs that it is in; what is in a loop is on the loop's own
};

// Goes over a list and all that is inside in serial order: enter(visit), then what is inside, then
// leave(node).
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
