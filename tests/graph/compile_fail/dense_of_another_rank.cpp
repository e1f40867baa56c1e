// SPDX-License-Identifier: Apache-2.0
// Catches: a key with more parts than there are extents, whose last parts would be dropped.
#include <sennit/graph.hpp>

#include <array>
#include <vector>

void run() {
  using point = std::array<int, 2>;
  sennit::graph::run(point{1, 1},
                     sennit::graph::nodes{.predecessors = [](point) { return std::vector<point>(); },
                                          .compute = [](point) {},
                                          .keys = sennit::graph::dense(2)});
}
