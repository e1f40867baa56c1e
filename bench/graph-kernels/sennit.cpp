// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include "graph-kernels/kernels.hpp"
#include "graph-kernels/probe.hpp"

// `colored` by NUMA node, or by worker on a machine with one node; `bad` with the colors of others, `invalid` with colors that
// are no place's.
class graphs {
 public:
  explicit graphs(bench::program& program) : runtime_(program), probe_(program.workers()) {
    colors_.colors = program.is("colored")   ? "nodes"
                     : program.is("bad")     ? "shifted"
                     : program.is("invalid") ? "invalid"
                                             : "none";
    using sennit::graph::places;
    runtime_.run([&] {
      colors_.of = sennit::graph::color_count(places::nodes) > 1 ? places::nodes : places::workers;
    });
    if (colors_.colors != "none")
      program.describe_further(colors_.of == places::nodes ? ", colors of nodes" : ", colors of workers");
  }

  template <class Stages>
  void stages(const Stages& all) {
    probe_.first_works(gallery::graph_of(all), [this](const auto& graph) { run(graph); });
  }
  void pages(gallery::page_flow& pages, const gallery::block_links& needs, std::uint32_t iterations) {
    probe_.all_nodes(gallery::graph_of_pages(pages, needs, iterations),
                     [this](const auto& graph) { run(graph); });
  }
  template <class Table>
  void align(Table& table) {
    probe_.all_nodes(gallery::graph_of_alignment(table), [this](const auto& graph) { run(graph); });
  }
  auto figures() const { return probe_.figures(); }

 private:
  template <class Graph>
  void run(const Graph& graph) {
    runtime_.run([&] { gallery::run_graph<sennit::parallel>(graph, colors_); });
  }

  bench::sennit_runtime runtime_;
  gallery::color_choice colors_;
  graph_kernels::probe probe_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  if (program.is("default") || program.is("colored") || program.is("bad") || program.is("invalid"))
    return graph_kernels::run_with(program, graphs(program));
  bench::program::fail("--variant", "must be colored, bad or invalid, or nothing");
}
