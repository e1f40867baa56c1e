// SPDX-License-Identifier: Apache-2.0
// Several workers call it at once.
#include <sennit/graph.hpp>

#include <cstddef>
#include <vector>

void run() {
  sennit::graph::run(7, sennit::graph::nodes{.predecessors =
                                                 [count = 0](int) mutable {
                                                   return std::vector<int>(static_cast<std::size_t>(count++));
                                                 },
                                             .compute = [](int) {}});
}
