// SPDX-License-Identifier: Apache-2.0
// Both would order the nodes that are ready.
#include <sennit/graph.hpp>

#include <vector>

void run() {
  sennit::graph::run(7, sennit::graph::nodes{.predecessors = [](int) { return std::vector<int>(); },
                                             .compute = [](int k, auto&) -> int { return k; },
                                             .most_alive = 3,
                                             .priority = [](int k) { return k; }});
}
