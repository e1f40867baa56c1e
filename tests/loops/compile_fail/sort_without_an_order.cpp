// SPDX-License-Identifier: Apache-2.0
// Points have no order, as the message is to say.
#include <sennit/parallel_sort.hpp>

#include <vector>

struct point {
  double x, y;
};

void sort(std::vector<point>& points) { sennit::parallel_sort(points); }
