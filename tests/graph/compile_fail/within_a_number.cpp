// SPDX-License-Identifier: Apache-2.0
// A limit is given by its address.
#include <sennit/graph.hpp>

#include <vector>

void run() {
  sennit::graph::run(7, sennit::graph::nodes{.predecessors = [](int) { return std::vector<int>(); },
                                             .compute = [](int) {},
                                             .within = [](int) { return 3; }});
}
