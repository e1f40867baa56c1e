// SPDX-License-Identifier: Apache-2.0
// Threads would append at the same time.
#include <sennit/algorithm/sets.hpp>

#include <iterator>
#include <vector>

void unite(const std::vector<int>& x, const std::vector<int>& y, std::vector<int>& all) {
  sennit::parallel_set_union(x, y, std::back_inserter(all));
}
