// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include "cholesky/kernel.hpp"

class graph {
 public:
  explicit graph(bench::program& program) : runtime_(program) {}

  void factor(cholesky::matrix& matrix) {
    runtime_.run([&] { gallery::run_graph<sennit::parallel>(gallery::graph_of(matrix), {"none"}); });
  }

 private:
  bench::sennit_runtime runtime_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return cholesky::run_with(program, graph(program));
}
