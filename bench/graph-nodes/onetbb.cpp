// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb.hpp"

#include "graph-nodes/shapes.hpp"

#include <tbb/flow_graph.h>

#include <deque>
#include <optional>
#include <vector>

// A continue_node for each node. `run`: built once, before the time is taken; otherwise building it, running it and taking it
// down are timed.
class flow_graph {
 public:
  explicit flow_graph(bench::program& program) : arena_(program), built_before_(program.is("run")) {
    program.describe(bench::onetbb_version());
  }

  template <class Shape>
  void prepare(Shape& shape) {
    if (!built_before_ || nodes_ == shape.nodes()) return;
    nodes_ = shape.nodes();
    arena_.run([&] {
      graph_.reset();
      graph_.emplace(shape);
    });
  }
  template <class Shape>
  void run(Shape& shape) {
    arena_.run([&] {
      if (!built_before_) graph_.emplace(shape);
      graph_->run();
      if (!built_before_) graph_.reset();
    });
  }

 private:
  using message = tbb::flow::continue_msg;
  using node = tbb::flow::continue_node<message>;

  class built {
   public:
    template <class Shape>
    explicit built(Shape& shape) {
      shape.each([&](const auto& k) {
        const graph_nodes::number n = shape.number_of(k);
        while (nodes_.size() <= n) {
          nodes_.emplace_back(graph_,
                              [&shape, own = static_cast<graph_nodes::number>(nodes_.size())](message m) {
                                shape.compute(own);
                                return m;
                              });
        }
        const auto found = shape.predecessors(k);
        if (found.size() == 0) sources_.push_back(&nodes_[n]);
        for (const auto& p : found) tbb::flow::make_edge(nodes_[shape.number_of(p)], nodes_[n]);
      });
    }
    void run() {
      for (node* source : sources_) source->try_put(message());
      graph_.wait_for_all();
    }

   private:
    tbb::flow::graph graph_;
    std::deque<node> nodes_;
    std::vector<node*> sources_;
  };

  bench::onetbb arena_;
  bool built_before_;
  std::uint64_t nodes_ = 0;
  std::optional<built> graph_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return graph_nodes::run_with(program, flow_graph(program));
}
