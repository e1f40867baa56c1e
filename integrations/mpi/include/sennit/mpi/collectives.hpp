// SPDX-License-Identifier: Apache-2.0
// barrier, bcast, reduce and the other collectives. The strand waits, and blocks no worker.
//
// As in MPI, all ranks of a communicator call the same collectives in the same order. So strands that run beside each
// other use communicators of their own. Throws mpi::error. A cancellation of the region does not end a collective, because the
// other ranks take part in it. Thread-safety: any strand or thread. Cost: that of MPI's call that does not block, and wait().
//
// Example:
//   #include <sennit/mpi.hpp>
//   #include <vector>
//
//   // Rank 0 has the settings and all work, and gets all results.
//   void share(std::vector<double>& settings, const std::vector<long>& work, std::vector<long>& results, long ranks) {
//     sennit::mpi::bcast(settings, 0);
//     std::vector<long> mine(work.size() / ranks);
//     sennit::mpi::scatter(work, mine, 0);
//     sennit::mpi::gather(mine, results, 0);
//     sennit::mpi::barrier();
//   }
//   // How much each rank has, how much all ranks before it have, and what goes where.
//   void count(std::vector<long>& mine, std::vector<long>& of_all, std::vector<long>& before, std::vector<long>& incoming) {
//     sennit::mpi::allgather(mine, of_all);
//     sennit::mpi::exscan(mine, before, MPI_SUM);
//     sennit::mpi::scan(mine, before, MPI_SUM);  // with its own
//     sennit::mpi::alltoall(of_all, incoming);
//   }
#pragma once

#include <sennit/mpi/detail/requests.hpp>
#include <sennit/mpi/detail/types.hpp>

#include <mpi.h>

#include <cstddef>
#include <ranges>
#include <source_location>
#include <span>

namespace sennit::mpi {

// Returns when all ranks have called it.
inline void barrier(MPI_Comm comm = MPI_COMM_WORLD,
                    std::source_location where = std::source_location::current()) {
  detail::complete({.call = "barrier", .where = where},
                   [&](MPI_Request* request) { return MPI_Ibarrier(comm, request); });
}

// The values of `root` come to all ranks.
template <message Range>
void bcast(Range&& values, int root, MPI_Comm comm = MPI_COMM_WORLD,
           std::source_location where = std::source_location::current()) {
  const detail::elements all(values, where);
  detail::complete({.call = "bcast", .where = where}, [&](MPI_Request* request) {
    return MPI_Ibcast(std::ranges::data(values), all.count(), all.type(), root, comm, request);
  });
}

// The sums, or other combinations, of the ranks' values: element by element. `op`: MPI_SUM, MPI_MAX, ...
// A function that the program gave MPI_Op_create is called by whoever polls, so it is serial, throws nothing and calls neither
// Sennit nor MPI.
template <detail::arithmetic_message In, detail::arithmetic_message Out>
void allreduce(const In& values, Out&& into, MPI_Op op, MPI_Comm comm = MPI_COMM_WORLD,
               std::source_location where = std::source_location::current()) {
  const detail::elements all(values, where);
  all.insist(std::ranges::size(into), 1, "allreduce", where);
  detail::complete({.call = "allreduce", .where = where}, [&](MPI_Request* request) {
    return MPI_Iallreduce(std::ranges::data(values), std::ranges::data(into), all.count(), all.type(), op,
                          comm, request);
  });
}
template <detail::arithmetic T>
T allreduce(T value, MPI_Op op, MPI_Comm comm = MPI_COMM_WORLD,
            std::source_location where = std::source_location::current()) {
  T into{};
  allreduce(std::span(&value, 1), std::span(&into, 1), op, comm, where);
  return into;
}

// The same for `root`; other ranks' `into` may be empty.
template <detail::arithmetic_message In, detail::arithmetic_message Out>
void reduce(const In& values, Out&& into, MPI_Op op, int root, MPI_Comm comm = MPI_COMM_WORLD,
            std::source_location where = std::source_location::current()) {
  const detail::elements all(values, where);
  if (detail::rank_in(comm) == root) all.insist(std::ranges::size(into), 1, "reduce", where);
  detail::complete({.call = "reduce", .where = where}, [&](MPI_Request* request) {
    return MPI_Ireduce(std::ranges::data(values), std::ranges::data(into), all.count(), all.type(), op, root,
                       comm, request);
  });
}

// Rank r's result is the combination of the values of ranks 0 to r, or to r - 1 (exscan: rank 0's is left as it is).
template <detail::arithmetic_message In, detail::arithmetic_message Out>
void scan(const In& values, Out&& into, MPI_Op op, MPI_Comm comm = MPI_COMM_WORLD,
          std::source_location where = std::source_location::current()) {
  const detail::elements all(values, where);
  all.insist(std::ranges::size(into), 1, "scan", where);
  detail::complete({.call = "scan", .where = where}, [&](MPI_Request* request) {
    return MPI_Iscan(std::ranges::data(values), std::ranges::data(into), all.count(), all.type(), op, comm,
                     request);
  });
}
template <detail::arithmetic_message In, detail::arithmetic_message Out>
void exscan(const In& values, Out&& into, MPI_Op op, MPI_Comm comm = MPI_COMM_WORLD,
            std::source_location where = std::source_location::current()) {
  const detail::elements all(values, where);
  all.insist(std::ranges::size(into), 1, "exscan", where);
  detail::complete({.call = "exscan", .where = where}, [&](MPI_Request* request) {
    return MPI_Iexscan(std::ranges::data(values), std::ranges::data(into), all.count(), all.type(), op, comm,
                       request);
  });
}

// The values of all ranks, one after the other, come to `root`, or to all. Each rank has as many.
template <message In, message Out>
void gather(const In& values, Out&& into, int root, MPI_Comm comm = MPI_COMM_WORLD,
            std::source_location where = std::source_location::current()) {
  const detail::elements all(values, where);
  if (detail::rank_in(comm) == root)
    all.insist(std::ranges::size(into), detail::ranks_of(comm), "gather", where);
  detail::complete({.call = "gather", .where = where}, [&](MPI_Request* request) {
    return MPI_Igather(std::ranges::data(values), all.count(), all.type(), std::ranges::data(into),
                       all.count(), all.type(), root, comm, request);
  });
}
template <message In, message Out>
void allgather(const In& values, Out&& into, MPI_Comm comm = MPI_COMM_WORLD,
               std::source_location where = std::source_location::current()) {
  const detail::elements all(values, where);
  all.insist(std::ranges::size(into), detail::ranks_of(comm), "allgather", where);
  detail::complete({.call = "allgather", .where = where}, [&](MPI_Request* request) {
    return MPI_Iallgather(std::ranges::data(values), all.count(), all.type(), std::ranges::data(into),
                          all.count(), all.type(), comm, request);
  });
}

// Each rank gets its part of the values of `root`; other ranks' `values` may be empty.
template <message In, message Out>
void scatter(const In& values, Out&& into, int root, MPI_Comm comm = MPI_COMM_WORLD,
             std::source_location where = std::source_location::current()) {
  const detail::elements part(into, where);
  if (detail::rank_in(comm) == root)
    part.insist(std::ranges::size(values), detail::ranks_of(comm), "scatter", where);
  detail::complete({.call = "scatter", .where = where}, [&](MPI_Request* request) {
    return MPI_Iscatter(std::ranges::data(values), part.count(), part.type(), std::ranges::data(into),
                        part.count(), part.type(), root, comm, request);
  });
}

// Part r of the values goes to rank r, and part r of the result comes from there.
template <message In, message Out>
void alltoall(const In& values, Out&& into, MPI_Comm comm = MPI_COMM_WORLD,
              std::source_location where = std::source_location::current()) {
  const std::size_t ranks = detail::ranks_of(comm);
  const auto each = std::span(std::ranges::data(values), std::ranges::size(values) / ranks);
  const detail::elements part(each, where);
  part.insist(std::ranges::size(values), ranks, "alltoall", where);
  part.insist(std::ranges::size(into), ranks, "alltoall", where);
  detail::complete({.call = "alltoall", .where = where}, [&](MPI_Request* request) {
    return MPI_Ialltoall(std::ranges::data(values), part.count(), part.type(), std::ranges::data(into),
                         part.count(), part.type(), comm, request);
  });
}

}  // namespace sennit::mpi
