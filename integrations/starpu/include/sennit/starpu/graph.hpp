// SPDX-License-Identifier: Apache-2.0
// run: a graph of tasks over ranks whose values are moved by StarPU.
#pragma once

#include <sennit/mpi/graph.hpp>
#include <sennit/starpu/detail/handles.hpp>

#include <mpi.h>

#include <vector>

namespace sennit::starpu {

// mpi::run, with the same nodes, rules, results and exceptions, except that each value that goes to another rank is a data
// handle of StarPU, and StarPU-MPI's thread moves it. One rank with one sink is graph::run, and needs no StarPU.
//
// Preconditions: those of mpi::run, and a session on each rank. Throws what mpi::run throws, std::runtime_error without a
// session; a value of 2 GiB or more fails the graph. Thread-safety: as mpi::run. Cost: as mpi::run; for a value a data
// handle and two copies more on each side.
template <class Key, class Predecessors, class Compute, class Color, class Hash, class Priority>
void run(MPI_Comm comm, const std::vector<Key>& sinks,
         const mpi::nodes<Predecessors, Compute, Color, Hash, Priority>& given) {
  mpi::detail::run_on_ranks<detail::handles>(comm, sinks, given);
}

}  // namespace sennit::starpu
