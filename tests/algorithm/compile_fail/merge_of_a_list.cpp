// SPDX-License-Identifier: Apache-2.0
// The elements of a list cannot be split.
#include <sennit/algorithm/merge.hpp>

#include <list>
#include <vector>

void merge(const std::vector<int>& x, const std::list<int>& y, std::vector<int>& out) {
  sennit::parallel_merge(x, y, out);
}
