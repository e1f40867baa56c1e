// SPDX-License-Identifier: Apache-2.0
// wait: a strand waits for requests of MPI, and blocks no worker.
#pragma once

#include <sennit/mpi/detail/requests.hpp>

#include <mpi.h>

#include <cstddef>
#include <source_location>
#include <span>
#include <utility>

namespace sennit::mpi {

// Returns when the request has completed, as MPI_Wait does, with the request's status. Meanwhile the strand's worker does
// something else. Workers that have nothing to do look whether requests have completed; if all are busy, a thread of the
// library does so each millisecond. So a request is noticed two milliseconds late at most, plus what the system keeps that thread
// waiting.
//
// The wait is not ended by a cancellation of the strand's region: nobody knows what the request is for. recv() and others are.
// Throws mpi::error. Thread-safety: any strand or thread, each with requests of its own. Cost: if the request has completed,
// that of MPI_Test; otherwise two switches of stacks.
//
// Example:
//   #include <sennit/mpi.hpp>
//
//   void exchange(double* mine, double* theirs, int n, int with) {
//     MPI_Request both[2];
//     MPI_Irecv(theirs, n, MPI_DOUBLE, with, 0, MPI_COMM_WORLD, &both[0]);
//     MPI_Isend(mine, n, MPI_DOUBLE, with, 0, MPI_COMM_WORLD, &both[1]);
//     sennit::mpi::wait_all(both);
//   }
//   int rank_in(MPI_Comm comm) {
//     int rank = 0;
//     sennit::mpi::exclusive([&] { return MPI_Comm_rank(comm, &rank); });
//     return rank;
//   }
inline MPI_Status wait(MPI_Request& request, std::source_location where = std::source_location::current()) {
  detail::request_awaited a(request, {.call = "wait for a request", .where = where}, false);
  detail::requests::of_process().wait(a);
  a.check();
  return a.status;
}

// The same for each of them. If some fail, all have completed all the same, and the error of the first is thrown.
inline void wait_all(std::span<MPI_Request> requests,
                     std::source_location where = std::source_location::current()) {
  int first = MPI_SUCCESS;
  for (MPI_Request& request : requests) {
    detail::request_awaited a(request, {.call = "wait for a request", .where = where}, false);
    detail::requests::of_process().wait(a);
    if (first == MPI_SUCCESS) first = a.code;
  }
  detail::check(first, "wait for requests", where);
}

// Calls f, which calls MPI, and returns what f returns. Needed only where MPI was initialized with MPI_THREAD_SERIALIZED: no
// other call of MPI by Sennit goes on meanwhile. f waits for nothing.
template <class F>
decltype(auto) exclusive(F&& f) {
  return detail::requests::of_process().call(std::forward<F>(f));
}

}  // namespace sennit::mpi
