#include "common/sennit.hpp"

#include "graph-kernels/kernels.hpp"

// `colored` by NUMA node, `invalid` with colors that are no place's.
class graphs {
 public:
  explicit graphs(bench::program& program) : runtime_(program) {
    colors_.colors = program.is("colored") ? "nodes" : program.is("invalid") ? "invalid" : "none";
  }

  template <class Stages>
  void stages(const Stages& all) {
    run(gallery::graph_of(all));
  }
  void pages(gallery::page_flow& pages, const gallery::block_links& needs, std::uint32_t iterations) {
    run(gallery::graph_of_pages(pages, needs, iterations));
  }
  template <class Table>
  void align(Table& table) {
    run(gallery::graph_of_alignment(table));
  }

 private:
  template <class Graph>
  void run(const Graph& graph) {
    runtime_.run([&] { gallery::run_graph<sennit::parallel>(graph, colors_); });
  }

  bench::sennit_runtime runtime_;
  gallery::color_choice colors_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  if (program.is("default") || program.is("colored") || program.is("invalid"))
    return graph_kernels::run_with(program, graphs(program));
  bench::program::fail("--variant", "must be colored or invalid, or nothing");
}
