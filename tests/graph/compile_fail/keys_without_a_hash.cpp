// SPDX-License-Identifier: Apache-2.0
// Points have no std::hash.
#include <sennit/graph.hpp>

#include <vector>

struct point {
  int x, y;
  bool operator==(const point&) const = default;
};

void run() {
  sennit::graph::run(point{}, sennit::graph::nodes{.predecessors = [](point) { return std::vector<point>(); },
                                                   .compute = [](point) {}});
}
