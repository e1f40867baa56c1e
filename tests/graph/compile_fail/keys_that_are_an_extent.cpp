// SPDX-License-Identifier: Apache-2.0
// An extent alone says no kind of keys.
#include <sennit/graph.hpp>

#include <vector>

void run() {
  sennit::graph::run(7, sennit::graph::nodes{.predecessors = [](int) { return std::vector<int>(); },
                                             .compute = [](int) {},
                                             .keys = 8});
}
