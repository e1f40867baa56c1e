// SPDX-License-Identifier: Apache-2.0
// Without values there is nothing to bound.
#include <sennit/graph.hpp>

#include <vector>

void run() {
  sennit::graph::run(
      7, sennit::graph::nodes{
             .predecessors = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1}; },
             .compute = [](int k) { static_cast<void>(k); },
             .most_alive = 10});
}
