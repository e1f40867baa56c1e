// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb.hpp"

#include "cholesky/kernel.hpp"

#include <tbb/flow_graph.h>

#include <cstddef>
#include <deque>
#include <vector>

// A flow_graph, which is built, run and taken down.
class flow {
 public:
  explicit flow(bench::program& program) : arena_(program) { program.describe(bench::onetbb_version()); }

  void factor(cholesky::matrix& matrix) {
    using message = tbb::flow::continue_msg;
    using step = tbb::flow::continue_node<message>;
    arena_.run([&] {
      tbb::flow::graph graph;
      std::deque<step> nodes;
      const std::size_t tiles = matrix.tiles();
      std::vector<step*> latest(tiles * tiles);  // of each tile
      const auto of = [&](std::size_t row, std::size_t column) -> step*& {
        return latest[row * tiles + column];
      };
      for (std::size_t k = 0; k < tiles; ++k) {
        for (std::size_t column = k; column < tiles; ++column) {
          for (std::size_t row = column; row < tiles; ++row) {
            auto& node = nodes.emplace_back(graph, [&matrix, k, row, column](message m) {
              matrix.compute(k, row, column);
              return m;
            });
            if (k > 0) tbb::flow::make_edge(*of(row, column), node);
            if (column > k) {
              tbb::flow::make_edge(*of(row, k), node);
              if (row != column) tbb::flow::make_edge(*of(column, k), node);
            } else if (row > k) {
              tbb::flow::make_edge(*of(k, k), node);
            }
            of(row, column) = &node;
          }
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
  return cholesky::run_with(program, flow(program));
}
