// SPDX-License-Identifier: Apache-2.0
// Nothing says how many elements are wanted.
#include <sennit/algorithm/select.hpp>

#include <vector>

void copy(const std::vector<int>& x, std::vector<int>& out) {
  sennit::parallel_partial_sort_copy(x, out.begin());
}
