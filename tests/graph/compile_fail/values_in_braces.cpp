// SPDX-License-Identifier: Apache-2.0
// Without nodes{...}, nodes have no values.
#include <sennit/graph.hpp>

#include <vector>

void run() {
  sennit::graph::run(
      7, {.predecessors = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1}; },
          .compute = [](int k, auto& node) -> long { return k == 0 ? 1 : node.value(k - 1) + 1; }});
}
