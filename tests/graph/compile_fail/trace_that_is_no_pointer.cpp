// SPDX-License-Identifier: Apache-2.0
// The run writes into a trace of the program.
#include <sennit/graph.hpp>
#include <sennit/graph_trace.hpp>

#include <vector>

void run() {
  sennit::graph::trace seen;
  sennit::graph::run(7, sennit::graph::nodes{.predecessors = [](int) { return std::vector<int>(); },
                                             .compute = [](int) {},
                                             .trace = seen});
}
