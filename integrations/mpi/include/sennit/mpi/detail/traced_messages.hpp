// SPDX-License-Identifier: Apache-2.0
// The messages of a rank in its trace. A program that is not traced pays a call and a comparison for each.
#pragma once

#include <sennit/detail/messages_in_trace.hpp>
#include <sennit/mpi/detail/requests.hpp>
#include <sennit/named.hpp>

#include <mpi.h>

#include <cstddef>

namespace sennit::mpi::detail {

// Negative for none, or for one that is not of the world.
inline int rank_in_world(int rank, MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD || rank < 0) return rank;
  return requests::of_process().call([&] {
    MPI_Group here = MPI_GROUP_NULL;
    MPI_Group world = MPI_GROUP_NULL;
    int there = MPI_UNDEFINED;
    MPI_Comm_group(comm, &here);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(here, 1, &rank, world, &there);
    MPI_Group_free(&here);
    MPI_Group_free(&world);
    return there == MPI_UNDEFINED ? -1 : there;
  });
}

inline void trace_message(bool sent, int peer, int tag, std::size_t bytes, MPI_Comm comm) {
  if (!sennit::detail::may_be_traced() || sennit::detail::time_in_trace() == 0) return;
  const int there = rank_in_world(peer, comm);
  if (there >= 0) sennit::detail::trace_message({.sent = sent, .peer = there, .tag = tag, .bytes = bytes});
}

inline void trace_sent(int to, int tag, std::size_t bytes, MPI_Comm comm) {
  trace_message(true, to, tag, bytes, comm);
}
inline void trace_received(int from, int tag, std::size_t bytes, MPI_Comm comm) {
  trace_message(false, from, tag, bytes, comm);
}

}  // namespace sennit::mpi::detail
