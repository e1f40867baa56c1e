// SPDX-License-Identifier: Apache-2.0
// The four programs of integrations/mpi as graphs over ranks, as each system would write them.
#pragma once

#include "ranks/rank_graph.hpp"
#include "ranks/simulate_ranks.hpp"

#include <cstdint>
#include <string_view>

namespace sennit::sim {

// graph: Sennit, with loops inside nodes and halos of several steps; its search for nodes costs nothing. tasks: StarPU-MPI alone. phases: MPI
// and OpenMP, a barrier of the rank's threads and an exchange after each phase.
enum class rank_style : std::uint8_t { graph, tasks, phases };

struct rank_problem {
  unsigned ranks = 1;
  unsigned workers = 1;  // of each rank
  unsigned size =
      1;  // of cholesky and sw: tiles in a row; of heat: blocks of all ranks; of pagerank: likewise
  unsigned steps = 1;       // of heat and pagerank
  picoseconds barrier = 0;  // of phases
};

// Tiles of 512 x 512 doubles on a grid of ranks, block-cyclic.
rank_graph cholesky_on_ranks(const rank_problem& p, rank_style style);
// Blocks of rows in a row; a block's step of 1 ms.
rank_graph heat_on_ranks(const rank_problem& p, rank_style style);
// Tiles of 2048 x 2048 letters, row i on rank i modulo ranks.
rank_graph sw_on_ranks(const rank_problem& p, rank_style style);
// Blocks of vertices; in each step all ranks need the values of all.
rank_graph pagerank_on_ranks(const rank_problem& p, rank_style style);

}  // namespace sennit::sim
