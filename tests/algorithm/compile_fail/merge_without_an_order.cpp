// SPDX-License-Identifier: Apache-2.0
// The elements have no <.
#include <sennit/algorithm/merge.hpp>

#include <vector>

struct point {
  double x, y;
};
void merge(const std::vector<point>& x, std::vector<point>& out) { sennit::parallel_merge(x, x, out); }
