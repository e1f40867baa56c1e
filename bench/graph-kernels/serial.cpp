// SPDX-License-Identifier: Apache-2.0
#include "graph-kernels/kernels.hpp"

struct in_order {
  template <class Stages>
  void stages(const Stages& all) const {
    for (std::size_t s = 0; s < all.count; ++s) {
      const std::size_t parts = all.width(s);
      for (std::size_t i = 0; i < parts; ++i) all.body(s, i);
    }
  }
  template <class Pages, class Needs>
  void pages(Pages& pages, const Needs&, std::uint32_t iterations) const {
    for (std::size_t b = 0; b < pages.blocks(); ++b) pages.initialize(b);
    for (std::uint32_t i = 1; i <= iterations; ++i)
      for (std::size_t b = 0; b < pages.blocks(); ++b) pages.iterate(i, b);
  }
  template <class Table>
  void align(Table& table) const {
    for (std::size_t i = 0; i < table.block_rows(); ++i)
      for (std::size_t j = 0; j < table.block_columns(); ++j) table.compute(i, j);
  }
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return graph_kernels::run_with(program, in_order());
}
