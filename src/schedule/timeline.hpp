// SPDX-License-Identifier: Apache-2.0
// When each worker of a schedule ran which strands.
#pragma once

#include "schedule/steal_tree.hpp"

#include <sennit/detail/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit::detail {

// From an event on a worker to the strand's next pause, or to the strand's end.
struct stretch {
  event by;
  span_of_time when;
};

struct strand {
  const steal* origin = nullptr;  // what was taken; null: the region's own strand, which is the first
  std::size_t parent = 0;         // the strand from which it was taken
  std::vector<stretch> stretches;
};

// All strands of a tree whose length is known; otherwise none. Without times, nodes that follow a taken
// right branch in its list may be inside or outside the branch.
SENNIT_EXPORT std::vector<strand> strands(const steal_tree& tree);

}  // namespace sennit::detail
