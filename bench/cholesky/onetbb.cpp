#include "common/onetbb.hpp"

#include "cholesky/kernel.hpp"

#include <tbb/flow_graph.h>

#include <deque>
#include <map>
#include <tuple>

// A flow_graph, which is built, run and taken down.
class flow {
 public:
  explicit flow(bench::program& program) : arena_(program) { program.describe(bench::onetbb_version()); }

  void factor(cholesky::matrix& matrix) {
    using message = tbb::flow::continue_msg;
    arena_.run([&] {
      tbb::flow::graph graph;
      std::deque<tbb::flow::continue_node<message>> nodes;
      std::map<std::tuple<std::size_t, std::size_t, std::size_t>, tbb::flow::continue_node<message>*> made;
      const std::size_t tiles = matrix.tiles();
      for (std::size_t k = 0; k < tiles; ++k) {
        for (std::size_t column = k; column < tiles; ++column) {
          for (std::size_t row = column; row < tiles; ++row) {
            auto& node = nodes.emplace_back(graph, [&matrix, k, row, column](message m) {
              matrix.compute(k, row, column);
              return m;
            });
            made[{k, row, column}] = &node;
            if (k > 0) tbb::flow::make_edge(*made[{k - 1, row, column}], node);
            if (column > k) {
              tbb::flow::make_edge(*made[{k, row, k}], node);
              if (row != column) tbb::flow::make_edge(*made[{k, column, k}], node);
            } else if (row > k) {
              tbb::flow::make_edge(*made[{k, k, k}], node);
            }
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
