// SPDX-License-Identifier: Apache-2.0
// What the function returns depends on what it returns.
#include <sennit/graph.hpp>

#include <vector>

void run() {
  sennit::graph::run(
      7, sennit::graph::nodes{
             .predecessors = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1}; },
             .compute = [](int k, auto& node) { return k == 0 ? 1L : node.value(k - 1) + 1; }});
}
