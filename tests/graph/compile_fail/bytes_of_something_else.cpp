// SPDX-License-Identifier: Apache-2.0
// The function counts the bytes of another type.
#include <sennit/graph.hpp>

#include <vector>

void run() {
  sennit::graph::run(
      7, sennit::graph::nodes{
             .predecessors = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1}; },
             .compute = [](int k) { return k; },
             .most_alive = sennit::graph::alive{.bytes = 9, .bytes_of = [](const std::vector<int>& v) {
                                                  return v.size();
                                                }}});
}
