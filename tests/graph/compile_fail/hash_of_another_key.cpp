// SPDX-License-Identifier: Apache-2.0
// The hash takes strings.
#include <sennit/graph.hpp>

#include <functional>
#include <string>
#include <vector>

struct point {
  int x;
  bool operator==(const point&) const = default;
};

void run() {
  sennit::graph::run(point{7},
                     sennit::graph::nodes{.predecessors = [](point) { return std::vector<point>(); },
                                          .compute = [](point) {},
                                          .keys = sennit::graph::hashed<std::hash<std::string>>()});
}
