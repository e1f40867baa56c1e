// SPDX-License-Identifier: Apache-2.0
// A priority is a number.
#include <sennit/graph.hpp>

#include <vector>

void run() {
  sennit::graph::run(7, sennit::graph::nodes{.predecessors = [](int) { return std::vector<int>(); },
                                             .compute = [](int) {},
                                             .priority = [](int) { return "red"; }});
}
