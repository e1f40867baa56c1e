// SPDX-License-Identifier: Apache-2.0
// The sink is a string, and what it needs are ints.
#include <sennit/graph.hpp>

#include <string>
#include <vector>

void run() {
  sennit::graph::run(
      "program", sennit::graph::nodes{.predecessors = [](const std::string&) { return std::vector<int*>(); },
                                      .compute = [](const std::string&) {}});
}
