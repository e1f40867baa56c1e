// SPDX-License-Identifier: Apache-2.0
// A color is a number.
#include <sennit/graph.hpp>

#include <vector>

void run() {
  sennit::graph::run(7, sennit::graph::nodes{.predecessors = [](int) { return std::vector<int>(); },
                                             .compute = [](int) {},
                                             .color = [](int) { return "red"; }});
}
