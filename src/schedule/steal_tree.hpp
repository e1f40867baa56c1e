// A steal tree: which worker ran what of a region, with one node for each thing that ran elsewhere. docs/design/schedules.md
// explains the numbering. Pure: no threads, no clock.
#pragma once

#include <compare>
#include <cstdint>
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
// At each level of a strand's nesting constructs are counted in serial order: a construct in the left branch of a fork, in
// a child of a group or in an iteration of a loop is one level deeper; one in a right branch is not, and follows its fork
// in the same list. So `at` is the same however the region is scheduled.
struct steal {
  enum class kind : std::uint8_t {
    fork,       // at: constructs before it in this list. inside: its left branch. Its right branch was taken.
    child,      // of a group. at: as for a fork. inside: its body
    wait,       // of a group, for its children. at: as for a fork
    loop,       // at: as for a fork. size: iterations. inside: the forks that halve it, or what a short one has inside
  };
  kind what = kind::fork;
  // fork, child: another worker took it; else it is here for what is inside, or as it was taken back.
  bool taken = false;
  // fork, wait, loop: the strand gave its worker back at the end of the construct, and `resumed` says who went on with it.
  bool waited = false;
  std::uint64_t at = 0;
  std::uint64_t size = 0;
  event begun{};    // if taken
  event resumed{};  // if waited
  span_of_time ran{};     // if taken
  span_of_time paused{};  // if waited
  std::vector<steal> inside{};

  // But for times.
  bool operator==(const steal&) const;
};

struct steal_tree {
  std::uint32_t roles = 1;    // workers that were there
  std::uint64_t length = 0;   // nanoseconds from beginning to end; 0: unknown
  std::vector<steal> root;    // the list of the region's own strand, which role 0 began as its event 0

  bool operator==(const steal_tree&) const;
};

}  // namespace sennit::detail
