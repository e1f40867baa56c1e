// SPDX-License-Identifier: Apache-2.0
// cholesky: as of integrations/mpi, but StarPU moves the tiles.
#include "integrations/mpi/programs/cholesky_graph.hpp"

#include <sennit/starpu.hpp>

#include <optional>

namespace {

class cholesky_on_starpu : public programs::cholesky_graph {
  void prepare() override {
    programs::cholesky_graph::prepare();
    starpu_.emplace();
  }
  void compute() override { sennit::starpu::run(MPI_COMM_WORLD, sinks(), nodes()); }
  // MPI is still in use here.
  programs::outcome check() override {
    starpu_.reset();
    return programs::cholesky_graph::check();
  }

  std::optional<sennit::starpu::session> starpu_;
};

}  // namespace

int main(int argc, char** argv) {
  cholesky_on_starpu c;
  return programs::run(c, "cholesky", "The Cholesky factor of a matrix of tiles, which StarPU moves", argc,
                       argv);
}
