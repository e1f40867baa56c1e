// SPDX-License-Identifier: Apache-2.0
// 0.3 and 0.7 would be one priority.
#include <sennit/graph.hpp>

#include <vector>

void run() {
  sennit::graph::run(7, sennit::graph::nodes{.predecessors = [](int) { return std::vector<int>(); },
                                             .compute = [](int) {},
                                             .priority = [](int k) { return k / 10.0; }});
}
