// When each worker of a schedule ran what.
#pragma once

#include "schedule/steal_tree.hpp"

#include <sennit/detail/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit::detail {

// From an event of a worker to the strand's next pause, or its end.
struct stretch {
  event by;
  span_of_time when;
};

struct strand {
  const steal* origin = nullptr;  // what was taken; nullptr: the region's own strand, which is the first
  std::size_t parent = 0;         // the strand it was taken from
  std::vector<stretch> stretches;
};

// All strands of a tree whose length is known, or nothing: without times there is no telling which of the
// nodes that follow a taken right branch in its list are in it.
SENNIT_EXPORT std::vector<strand> strands(const steal_tree& tree);

}  // namespace sennit::detail
