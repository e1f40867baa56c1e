// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include "graph-nodes/shapes.hpp"

#include <sennit/graph.hpp>
#include <sennit/static_graph.hpp>
#include <sennit/task_graph.hpp>

#include <memory>
#include <tuple>
#include <vector>

// Nothing is built before: a run is all there is, from a sink.
template <bool Hashed>
class on_demand {
 public:
  explicit on_demand(bench::program& program) : runtime_(program) {}

  template <class Shape>
  void prepare(Shape&) {}
  template <class Shape>
  void run(Shape& shape) {
    using key = typename Shape::key;
    const auto before = [&](const key& k) { return shape.predecessors(k); };
    const auto compute = [&](const key& k) { shape.compute(shape.number_of(k)); };
    runtime_.run([&] {
      sennit::graph::run(shape.sink(), sennit::graph::nodes{
                                           .predecessors = before, .compute = compute, .keys = keys(shape)});
    });
  }

 private:
  template <class Shape>
  static auto keys(const Shape& shape) {
    if constexpr (Hashed) {
      return sennit::graph::hashed<>();
    } else {
      return std::apply([](auto... extents) { return sennit::graph::dense(extents...); }, shape.extents());
    }
  }

  bench::sennit_runtime runtime_;
};

// The graph is built before, and run again and again.
class built_before {
 public:
  explicit built_before(bench::program& program) : runtime_(program) {}

  template <class Shape>
  void prepare(Shape& shape) {
    // The warm-up is smaller.
    if (graph_ != nullptr && built_for_ == shape.numbers()) return;
    built_for_ = shape.numbers();
    graph_ = std::make_unique<sennit::graph::static_graph>();
    numbers_.clear();
    std::vector<sennit::graph::static_graph::node> nodes(shape.numbers());
    shape.each([&](const auto& k) {
      nodes[shape.number_of(k)] = graph_->add();
      numbers_.push_back(shape.number_of(k));
    });
    shape.each([&](const auto& k) {
      for (const auto& p : shape.predecessors(k))
        graph_->edge(nodes[shape.number_of(p)], nodes[shape.number_of(k)]);
    });
  }
  template <class Shape>
  void run(Shape& shape) {
    runtime_.run([&] { graph_->run([&](auto node) { shape.compute(numbers_[node]); }); });
  }

 private:
  bench::sennit_runtime runtime_;
  std::unique_ptr<sennit::graph::static_graph> graph_;
  graph_nodes::number built_for_ = 0;
  std::vector<graph_nodes::number> numbers_;  // of its nodes
};

// The same with a function of its own for each node, as in other libraries' task graphs.
class tasks_before {
 public:
  explicit tasks_before(bench::program& program) : runtime_(program) {}

  template <class Shape>
  void prepare(Shape& shape) {
    if (graph_ != nullptr && built_for_ == shape.numbers()) return;
    built_for_ = shape.numbers();
    graph_ = std::make_unique<sennit::graph::task_graph>();
    std::vector<sennit::graph::task<>> tasks(shape.numbers());
    shape.each([&](const auto& k) {
      const graph_nodes::number n = shape.number_of(k);
      tasks[n] = graph_->add([&shape, n] { shape.compute(n); });
    });
    shape.each([&](const auto& k) {
      for (const auto& p : shape.predecessors(k)) tasks[shape.number_of(p)].before(tasks[shape.number_of(k)]);
    });
  }
  template <class Shape>
  void run(Shape&) {
    runtime_.run([&] { graph_->run(); });
  }

 private:
  bench::sennit_runtime runtime_;
  std::unique_ptr<sennit::graph::task_graph> graph_;
  graph_nodes::number built_for_ = 0;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  if (program.is("default")) return graph_nodes::run_with(program, on_demand<false>(program));
  if (program.is("static")) return graph_nodes::run_with(program, built_before(program));
  if (program.is("tasks")) return graph_nodes::run_with(program, tasks_before(program));
  if (program.is("hashed")) return graph_nodes::run_with(program, on_demand<true>(program));
  bench::program::fail("--variant", "must be hashed, static or tasks, or nothing");
}
