// SPDX-License-Identifier: Apache-2.0
// Which worker ran which branch of a simulated run: its steal tree, flat.
#pragma once

#include <cstdint>
#include <vector>

namespace sennit::sim {

// A branch has a name that follows from its place in the program, so that a later run of the same program knows it again:
// see engine/names.hpp.
struct recorded_steal {
  std::uint64_t branch = 0;     // what was taken: a branch, a spawned child, a task, or a part of a loop
  std::uint64_t loop_part = 0;  // of a part of a loop: from which part it was cut; else 0
  std::uint64_t first = 0;      // of a part of a loop: its iterations
  std::uint64_t last = 0;
  std::uint32_t worker = 0;  // who took it
  bool is_task = false;      // of a graph: then its order among the worker's is not kept
  bool operator==(const recorded_steal&) const = default;
};

// In the order in which they began, so those of one worker are in its order.
struct steal_schedule {
  std::uint32_t workers = 0;
  std::vector<recorded_steal> steals;
  bool operator==(const steal_schedule&) const = default;
};

}  // namespace sennit::sim
