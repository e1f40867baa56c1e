// SPDX-License-Identifier: Apache-2.0
#include "graph-nodes/shapes.hpp"

// Plain loops over the nodes, each after its predecessors.
class plain_loops {
 public:
  template <class Shape>
  void prepare(Shape&) {}
  template <class Shape>
  void run(Shape& shape) {
    shape.each([&](const auto& k) { shape.compute(shape.number_of(k)); });
  }
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return graph_nodes::run_with(program, plain_loops());
}
