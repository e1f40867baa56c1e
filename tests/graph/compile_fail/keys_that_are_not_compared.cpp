// SPDX-License-Identifier: Apache-2.0
// The key has a hash, and no ==.
#include <sennit/graph.hpp>

#include <cstddef>
#include <functional>
#include <vector>

struct point {
  int x, y;
};
template <>
struct std::hash<point> {
  std::size_t operator()(const point& p) const { return static_cast<std::size_t>(p.x ^ p.y); }
};

void run() {
  sennit::graph::run(point{}, sennit::graph::nodes{.predecessors = [](point) { return std::vector<point>(); },
                                                   .compute = [](point) {}});
}
