// SPDX-License-Identifier: Apache-2.0
// A single key is no range.
#include <sennit/graph.hpp>

#include <vector>

void run() {
  sennit::graph::run(
      7, sennit::graph::nodes{.predecessors = [](int k) { return k - 1; }, .compute = [](int) {}});
}
