// SPDX-License-Identifier: Apache-2.0
// Several workers call it at once.
#include <sennit/graph.hpp>

#include <vector>

void run() {
  sennit::graph::run(7, sennit::graph::nodes{.predecessors = [](int) { return std::vector<int>(); },
                                             .compute = [count = 0](int) mutable { return ++count; }});
}
