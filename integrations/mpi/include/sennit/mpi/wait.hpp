// wait: a strand waits for a request of MPI, and blocks no worker.
#pragma once

#include <sennit/mpi/detail/requests.hpp>
#include <sennit/mpi/error.hpp>

#include <mpi.h>

#include <source_location>
#include <span>

namespace sennit::mpi {

// Returns when the request has completed, as MPI_Wait does. Meanwhile the strand's worker does something else. Workers that have
// nothing to do look whether requests have completed; if all are busy, a thread does so each millisecond.
//
// Throws mpi::error; sennit::cancelled if the strand's region was cancelled and the request could be.
// Thread-safety: any strand or thread, each with its own request. Cost: if the request has completed, that of MPI_Test;
// otherwise two switches of stacks.
inline MPI_Status wait(MPI_Request& request, std::source_location where = std::source_location::current()) {
  detail::awaited_request a{.request = &request, .what = {}, .where = where};
  detail::requests::of_process().wait(a);
  detail::check(a.code, "wait", where);
  return a.status;
}

}  // namespace sennit::mpi
