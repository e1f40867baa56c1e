// SPDX-License-Identifier: Apache-2.0
// cholesky: the factor of a matrix, as a graph of tasks whose values are tiles.
#include "integrations/mpi/programs/cholesky_graph.hpp"

namespace {

class cholesky_on_mpi : public programs::cholesky_graph {
  void compute() override { sennit::mpi::run(MPI_COMM_WORLD, sinks(), nodes()); }
};

}  // namespace

int main(int argc, char** argv) {
  cholesky_on_mpi c;
  return programs::run(c, "cholesky", "The Cholesky factor of a matrix of tiles", argc, argv);
}
