// SPDX-License-Identifier: Apache-2.0
// The longest path from each node to an end of its graph, as priorities.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit::detail {

// `successors(n)`: a range of the nodes that come after n. `cost(n)`: from 0 on. A priority is from 1 to 2^30, for the node that
// begins the longest path. Nodes in a cycle, which a file may have, count alone. Throws std::bad_alloc.
template <class Successors, class Cost>
std::vector<std::int32_t> longest_path_priorities(std::size_t count, const Successors& successors,
                                                  const Cost& cost) {
  std::vector<std::uint32_t> waiting(count);
  std::vector<std::uint32_t> sorted;
  for (std::uint32_t n = 0; n < count; ++n) {
    for (const std::uint32_t after : successors(n)) ++waiting[after];
  }
  for (std::uint32_t n = 0; n < count; ++n) {
    if (waiting[n] == 0) sorted.push_back(n);
  }
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (const std::uint32_t after : successors(sorted[i])) {
      if (--waiting[after] == 0) sorted.push_back(after);
    }
  }
  std::vector<double> length(count);
  double longest = 0;
  for (auto n = sorted.rbegin(); n != sorted.rend(); ++n) {
    double below = 0;
    for (const std::uint32_t after : successors(*n)) below = std::max(below, length[after]);
    length[*n] = below + std::max(0.0, cost(*n));
    longest = std::max(longest, length[*n]);
  }
  constexpr double most = 1 << 30;
  const double unit = longest > 0 ? most / longest : 0;
  std::vector<std::int32_t> priorities(count);
  for (std::uint32_t n = 0; n < count; ++n)
    priorities[n] = std::max(1, static_cast<std::int32_t>(length[n] * unit));
  return priorities;
}

}  // namespace sennit::detail
