// SPDX-License-Identifier: Apache-2.0
#include "common/program.hpp"
#include "graph-nodes/shapes.hpp"

#include <taskflow/taskflow.hpp>

#include <memory>
#include <string>
#include <vector>

// A task for each node. `run`: built once, before the time is taken; otherwise building it, running it and taking it down are
// timed.
class taskflow_graph {
 public:
  explicit taskflow_graph(bench::program& program)
      : executor_(program.workers()), built_before_(program.is("run")) {
    program.describe(std::string("Taskflow ") + tf::version());
  }

  template <class Shape>
  void prepare(Shape& shape) {
    if (!built_before_ || nodes_ == shape.nodes()) return;
    nodes_ = shape.nodes();
    build(shape);
  }
  template <class Shape>
  void run(Shape& shape) {
    if (!built_before_) build(shape);
    executor_.run(*graph_).wait();
    if (!built_before_) graph_.reset();
  }

 private:
  template <class Shape>
  void build(Shape& shape) {
    graph_ = std::make_unique<tf::Taskflow>();
    std::vector<tf::Task> tasks(shape.numbers());
    shape.each([&](const auto& k) {
      const graph_nodes::number n = shape.number_of(k);
      tasks[n] = graph_->emplace([&shape, n] { shape.compute(n); });
    });
    shape.each([&](const auto& k) {
      for (const auto& p : shape.predecessors(k))
        tasks[shape.number_of(p)].precede(tasks[shape.number_of(k)]);
    });
  }

  tf::Executor executor_;
  bool built_before_;
  std::uint64_t nodes_ = 0;
  std::unique_ptr<tf::Taskflow> graph_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return graph_nodes::run_with(program, taskflow_graph(program));
}
