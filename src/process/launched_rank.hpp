// SPDX-License-Identifier: Apache-2.0
// The rank that a launcher of MPI gave this process, which the library finds without MPI.
#pragma once

#include <optional>
#include <string>

namespace sennit::detail {

struct launched_rank {
  std::string rank;  // digits
  bool alone;        // of one rank
};

// From the environment: Open MPI's, PMIx' or PMI's (MPICH, Slurm). None: no launcher has started this process.
std::optional<launched_rank> rank_of_launcher();

}  // namespace sennit::detail
