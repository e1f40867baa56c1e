// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb.hpp"

#include "graph-kernels/kernels.hpp"

#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>

#include <deque>

// A loop for each stage or iteration; a flow_graph for the table, which is built, run and taken down.
class arena {
 public:
  explicit arena(bench::program& program) : arena_(program) { program.describe(bench::onetbb_version()); }

  template <class Stages>
  void stages(const Stages& all) {
    arena_.run([&] {
      for (std::size_t s = 0; s < all.count; ++s)
        tbb::parallel_for(std::size_t{0}, std::size_t{all.width(s)}, [&](std::size_t i) { all.body(s, i); });
    });
  }
  template <class Pages, class Needs>
  void pages(Pages& pages, const Needs&, std::uint32_t iterations) {
    arena_.run([&] {
      tbb::parallel_for(std::size_t{0}, pages.blocks(), [&](std::size_t b) { pages.initialize(b); });
      for (std::uint32_t i = 1; i <= iterations; ++i)
        tbb::parallel_for(std::size_t{0}, pages.blocks(), [&](std::size_t b) { pages.iterate(i, b); });
    });
  }
  template <class Table>
  void align(Table& table) {
    using message = tbb::flow::continue_msg;
    arena_.run([&] {
      tbb::flow::graph graph;
      std::deque<tbb::flow::continue_node<message>> nodes;
      const std::size_t columns = table.block_columns();
      for (std::size_t i = 0; i < table.block_rows(); ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          nodes.emplace_back(graph, [&table, i, j](message m) {
            table.compute(i, j);
            return m;
          });
          if (i > 0) tbb::flow::make_edge(nodes[(i - 1) * columns + j], nodes.back());
          if (j > 0) tbb::flow::make_edge(nodes[i * columns + j - 1], nodes.back());
        }
      }
      nodes.front().try_put(message());
      graph.wait_for_all();
    });
  }

 private:
  bench::onetbb arena_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return graph_kernels::run_with(program, arena(program));
}
