// SPDX-License-Identifier: Apache-2.0
// Graphs of each kind, compiled with the warnings that strict programs turn on. Catches: a warning inside the headers.
#include <sennit/graph.hpp>
#include <sennit/graph_trace.hpp>
#include <sennit/static_graph.hpp>

#include <array>
#include <string>
#include <vector>

namespace graph = sennit::graph;

long run() {
  using point = std::array<int, 2>;
  graph::trace seen;
  const auto before = [](point p) {
    std::vector<point> points;
    if (p[0] > 0) points.push_back({p[0] - 1, p[1]});
    return points;
  };
  const auto count = [](point p, auto& node) -> long { return p[0] == 0 ? 1 : node.value({p[0] - 1, p[1]}); };
  const long value = graph::run(point{3, 3}, graph::nodes{.predecessors = before,
                                                          .compute = count,
                                                          .color = [](point) { return 0; },
                                                          .keys = graph::dense(4, 4),
                                                          .trace = &seen});
  using text = std::string;
  graph::run(text("a"),
             graph::nodes{.predecessors = [](const text&) { return std::vector<text>(); },
                          .compute = [](const text&) {},
                          .color = [](const text&) { return std::vector<graph::weighted_color>(); }});
  graph::run(5, {.predecessors = [](int) { return std::vector<int>(); }, .compute = [](int) {}});
  graph::run('c',
             graph::nodes{.predecessors = [](char) { return std::vector<char>(); }, .compute = [](char) {}});
  graph::static_graph order;
  order.add(2);
  order.edge(0, 1);
  order.run([](unsigned) {});
  return value;
}
