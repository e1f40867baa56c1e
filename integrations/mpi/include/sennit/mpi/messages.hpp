// send, receive: messages of values between ranks, for strands.
#pragma once

#include <sennit/mpi/detail/requests.hpp>
#include <sennit/mpi/wait.hpp>

#include <mpi.h>

#include <concepts>
#include <ranges>
#include <source_location>
#include <type_traits>

namespace sennit::mpi {

// Values that lie one after the other, and that can be copied byte by byte.
template <class Range>
concept message = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
                  std::is_trivially_copyable_v<std::ranges::range_value_t<Range>>;

template <message Range>
void send(const Range& values, int to, int tag, MPI_Comm comm = MPI_COMM_WORLD,
          std::source_location where = std::source_location::current()) {
  detail::requests& all = detail::requests::of_process();
  MPI_Request request = MPI_REQUEST_NULL;
  const auto bytes = std::ranges::size(values) * sizeof(std::ranges::range_value_t<Range>);
  detail::check(all.call([&] {
    return MPI_Isend(std::ranges::data(values), static_cast<int>(bytes), MPI_BYTE, to, tag, comm, &request);
  }),
                "send", where);
  detail::awaited_request a{
      .request = &request, .what = {.call = "send to", .peer = to, .tag = tag, .of_message = true}, .where = where};
  all.wait(a);
  detail::check(a.code, "send", where);
}

template <message Range>
MPI_Status receive(Range&& values, int from, int tag, MPI_Comm comm = MPI_COMM_WORLD,
                   std::source_location where = std::source_location::current()) {
  detail::requests& all = detail::requests::of_process();
  MPI_Request request = MPI_REQUEST_NULL;
  const auto bytes = std::ranges::size(values) * sizeof(std::ranges::range_value_t<Range>);
  detail::check(all.call([&] {
    return MPI_Irecv(std::ranges::data(values), static_cast<int>(bytes), MPI_BYTE, from, tag, comm, &request);
  }),
                "receive", where);
  detail::awaited_request a{.request = &request,
                            .what = {.call = "receive from", .peer = from, .tag = tag, .of_message = true},
                            .where = where};
  all.wait(a);
  detail::check(a.code, "receive", where);
  return a.status;
}

}  // namespace sennit::mpi
