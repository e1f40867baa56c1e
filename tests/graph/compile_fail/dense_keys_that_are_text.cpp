// SPDX-License-Identifier: Apache-2.0
// Dense keys are numbers.
#include <sennit/graph.hpp>

#include <string>
#include <vector>

void run() {
  sennit::graph::run(
      std::string("a"),
      sennit::graph::nodes{.predecessors = [](const std::string&) { return std::vector<std::string>(); },
                           .compute = [](const std::string&) {},
                           .keys = sennit::graph::dense(8)});
}
