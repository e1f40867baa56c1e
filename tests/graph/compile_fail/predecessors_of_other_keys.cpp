// SPDX-License-Identifier: Apache-2.0
// The sink is an int, the function's keys are strings.
#include <sennit/graph.hpp>

#include <string>
#include <vector>

void run() {
  sennit::graph::run(
      7, sennit::graph::nodes{.predecessors = [](const std::string&) { return std::vector<std::string>(); },
                              .compute = [](const std::string&) {}});
}
