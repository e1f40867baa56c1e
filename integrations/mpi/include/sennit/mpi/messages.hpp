// SPDX-License-Identifier: Apache-2.0
// send, recv, sendrecv: messages between ranks. The strand waits, and blocks no worker.
#pragma once

#include <sennit/mpi/detail/bytes.hpp>
#include <sennit/mpi/detail/requests.hpp>
#include <sennit/mpi/detail/traced_messages.hpp>

#include <mpi.h>

#include <cstddef>
#include <ranges>
#include <source_location>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace sennit::mpi {

// Sends the bytes of the values, of any number. Returns when the values may be changed.
//
// `values`: a vector, an array, a span. Both sides have the same representation of numbers. Throws mpi::error. A cancellation
// of the region does not end the call. Thread-safety: any strand or thread. Cost: that of MPI_Isend and wait().
//
// Example:
//   #include <sennit/mpi.hpp>
//   #include <vector>
//
//   // The lengths of two messages of the rank before: one whose size is known, and one whose size is not.
//   std::size_t pass(const std::vector<double>& mine, double (&first)[2], int before, int behind) {
//     sennit::mpi::send(mine, behind, 0);
//     const std::vector<double> theirs = sennit::mpi::recv_vector<double>(before, 0);
//     const MPI_Status status = sennit::mpi::recv(first, before, 1);
//     return theirs.size() + sennit::mpi::size_of(status) / sizeof(double);
//   }
template <message Range>
void send(const Range& values, int to, int tag, MPI_Comm comm = MPI_COMM_WORLD,
          std::source_location where = std::source_location::current()) {
  const detail::byte_count bytes(detail::bytes_of(values), where);
  detail::trace_sent(to, tag, detail::bytes_of(values), comm);
  detail::complete({.call = "send to", .where = where, .of_message = true, .peer = to, .tag = tag},
                   [&](MPI_Request* request) {
                     return MPI_Isend(std::ranges::data(values), bytes.count(), bytes.type(), to, tag, comm,
                                      request);
                   });
}

// How many bytes the message had.
inline std::size_t size_of(const MPI_Status& received) {
  MPI_Count bytes = 0;
  detail::requests::of_process().call([&] { MPI_Get_elements_x(&received, MPI_BYTE, &bytes); });
  return static_cast<std::size_t>(bytes);
}

namespace detail {
inline void trace_received(const MPI_Status& status, MPI_Comm comm) {
  if (sennit::detail::may_be_traced())
    trace_received(status.MPI_SOURCE, status.MPI_TAG, size_of(status), comm);
}
}  // namespace detail

// Receives a message into the values, which may have room for more than comes. `from` may be MPI_ANY_SOURCE, `tag` MPI_ANY_TAG.
//
// Throws mpi::error, also if the message is longer than the values; sennit::cancelled if the region was cancelled before the
// message came. Thread-safety: any strand or thread. Cost: that of MPI_Irecv and wait().
template <message Range>
  requires(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>)
MPI_Status recv(Range&& values, int from, int tag, MPI_Comm comm = MPI_COMM_WORLD,
                std::source_location where = std::source_location::current()) {
  const detail::byte_count bytes(detail::bytes_of(values), where);
  const MPI_Status status = detail::complete(
      {.call = "recv from", .where = where, .of_message = true, .peer = from, .tag = tag},
      [&](MPI_Request* request) {
        return MPI_Irecv(std::ranges::data(values), bytes.count(), bytes.type(), from, tag, comm, request);
      },
      true);
  detail::trace_received(status, comm);
  return status;
}

// Receives a message of a size that the receiver does not know. Throws as recv() does, and std::runtime_error if the message is
// no whole number of T. Cost: one more look for the message, and a vector.
template <class T>
  requires std::is_trivially_copyable_v<T>
std::vector<T> recv_vector(int from, int tag, MPI_Comm comm = MPI_COMM_WORLD,
                           std::source_location where = std::source_location::current()) {
  detail::message_awaited a(from, tag, comm, where);
  detail::requests::of_process().wait(a);
  a.check();
  const std::size_t bytes = size_of(a.status);
  std::vector<T> values(bytes / sizeof(T) + (bytes % sizeof(T) != 0));
  const detail::byte_count count(bytes, where);
  detail::complete({.call = "recv from",
                    .where = where,
                    .of_message = true,
                    .peer = a.status.MPI_SOURCE,
                    .tag = a.status.MPI_TAG},
                   [&](MPI_Request* request) {
                     return MPI_Imrecv(values.data(), count.count(), count.type(), &a.message, request);
                   });
  detail::trace_received(a.status, comm);
  if (bytes % sizeof(T) != 0) {
    throw std::runtime_error("sennit::mpi: recv_vector at " + detail::text_of(where) + ": a message of " +
                             std::to_string(bytes) + " bytes is no whole number of values of " +
                             std::to_string(sizeof(T)) + " bytes; receive it as what was sent");
  }
  return values;
}

// Sends some values and receives others. Two ranks that send to each other need it, or two strands each. Throws as recv() does.
template <message Sent, message Received>
MPI_Status sendrecv(const Sent& values, int to, int send_tag, Received&& into, int from, int recv_tag,
                    MPI_Comm comm = MPI_COMM_WORLD,
                    std::source_location where = std::source_location::current()) {
  const detail::byte_count incoming(detail::bytes_of(into), where);
  detail::requests& all = detail::requests::of_process();
  MPI_Request received = MPI_REQUEST_NULL;
  detail::check(all.call([&] {
    return MPI_Irecv(std::ranges::data(into), incoming.count(), incoming.type(), from, recv_tag, comm,
                     &received);
  }),
                "sendrecv", where);
  detail::request_awaited a(
      received, {.call = "recv from", .where = where, .of_message = true, .peer = from, .tag = recv_tag},
      true);
  // The receive goes on into the values until it has completed, whatever becomes of the send.
#if SENNIT_EXCEPTIONS
  try {
    send(values, to, send_tag, comm, where);
  } catch (...) {
    all.call([&] { return MPI_Cancel(&received); });
    all.wait(a);
    throw;
  }
#else
  send(values, to, send_tag, comm, where);
#endif
  all.wait(a);
  a.check();
  detail::trace_received(a.status, comm);
  return a.status;
}

}  // namespace sennit::mpi
