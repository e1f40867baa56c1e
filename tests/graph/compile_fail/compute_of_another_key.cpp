// SPDX-License-Identifier: Apache-2.0
// The function of a node takes strings.
#include <sennit/graph.hpp>

#include <string>
#include <vector>

void run() {
  sennit::graph::run(7, sennit::graph::nodes{.predecessors = [](int) { return std::vector<int>(); },
                                             .compute = [](const std::string&) {}});
}
