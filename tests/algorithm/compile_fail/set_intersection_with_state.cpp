// SPDX-License-Identifier: Apache-2.0
// The comparison changes itself.
#include <sennit/algorithm/sets.hpp>

#include <vector>

std::vector<int> intersect(const std::vector<int>& x) {
  return sennit::parallel_set_intersection(x, x, [n = 0](int a, int b) mutable {
    ++n;
    return a < b;
  });
}
