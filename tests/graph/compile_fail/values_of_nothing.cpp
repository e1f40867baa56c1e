// SPDX-License-Identifier: Apache-2.0
// Nodes have no values to read.
#include <sennit/graph.hpp>

#include <vector>

void run() {
  sennit::graph::run(
      7, sennit::graph::nodes{
             .predecessors = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1}; },
             .compute = [](int k, auto& node) -> void { node.value(k - 1); }});
}
