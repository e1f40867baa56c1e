// SPDX-License-Identifier: Apache-2.0
// When the traces of all ranks began, by one clock.
#pragma once

#include <sennit/detail/messages_in_trace.hpp>
#include <sennit/named.hpp>

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <limits>

namespace sennit::mpi::detail {

inline std::int64_t clock_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

// Rank 0's clock, less that of each other rank, which has its own in the result. Of some questions for the time, the one that
// was answered soonest tells it best.
inline std::int64_t clock_ahead_of_mine(MPI_Comm comm, int rank, int ranks) {
  constexpr int questions = 20;
  std::int64_t time = 0;
  std::int64_t ahead = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int r = rank == 0 ? 1 : rank, end = rank == 0 ? ranks : rank + 1; r < end; ++r) {
    for (int i = 0; i < questions; ++i) {
      if (rank == 0) {
        MPI_Recv(&time, 1, MPI_INT64_T, r, 0, comm, MPI_STATUS_IGNORE);
        time = clock_ns();
        MPI_Send(&time, 1, MPI_INT64_T, r, 0, comm);
        continue;
      }
      const std::int64_t asked = clock_ns();
      MPI_Send(&time, 1, MPI_INT64_T, 0, 0, comm);
      MPI_Recv(&time, 1, MPI_INT64_T, 0, 0, comm, MPI_STATUS_IGNORE);
      const std::int64_t answered = clock_ns();
      if (answered - asked >= least) continue;
      least = answered - asked;
      ahead = time - (asked + answered) / 2;
    }
  }
  return ahead;
}

// All ranks call it, traced or not, before anything else is sent.
inline void trace_own_rank(MPI_Comm comm) {
  int traced = sennit::detail::may_be_traced() && sennit::detail::time_in_trace() != 0 ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&traced, &all, 1, MPI_INT, MPI_MIN, comm);
  if (all == 0) return;
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  sennit::detail::trace_rank(static_cast<unsigned>(rank), static_cast<unsigned>(ranks),
                             clock_ahead_of_mine(comm, rank, ranks));
}

}  // namespace sennit::mpi::detail
