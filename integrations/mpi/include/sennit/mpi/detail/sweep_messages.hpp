// SPDX-License-Identifier: Apache-2.0
// The messages of one sweep on one rank, and what becomes of them if a rank fails. docs/protocols/ranks.md has the protocol.
#pragma once

#include <sennit/blocking.hpp>
#include <sennit/mpi/collectives.hpp>
#include <sennit/mpi/detail/bytes.hpp>
#include <sennit/mpi/detail/discarding.hpp>
#include <sennit/mpi/detail/requests.hpp>
#include <sennit/mpi/detail/types.hpp>
#include <sennit/mpi/messages.hpp>
#include <sennit/mpi/wait.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <source_location>
#include <span>
#include <thread>
#include <vector>

namespace sennit::mpi::detail {

// What goes to a peer, or comes from it: some bytes. A message without bytes says that its sender has failed.
struct transfer {
  int peer;
  std::span<std::byte> bytes;
};

class sweep_messages {
 public:
  sweep_messages(MPI_Comm comm, int tag)
      : comm_(comm),
        tag_(tag),
        rank_(rank_in(comm)),
        sent_to_(ranks_of(comm)),
        received_from_(ranks_of(comm)),
        under_way_(ranks_of(comm)),
        news_(ranks_of(comm), MPI_REQUEST_NULL) {}

  // False: a peer has failed. No transfer is empty.
  bool exchange(std::span<const transfer> in, std::span<const transfer> out) {
    begun_.clear();
    begun_.reserve(in.size() +
                   out.size());  // from the first receive on, nothing may throw before it has completed
    bool all_came = true;
    std::exception_ptr failure;
    try {
      for (const transfer& t : in) begin(MPI_Irecv, t);
      for (const transfer& t : out) {
        begin(MPI_Isend, t);
        ++sent_to_[static_cast<std::size_t>(t.peer)];
      }
    } catch (...) {
      failure = std::current_exception();
      for (std::size_t i = 0; i < begun_.size() && i < in.size(); ++i)
        requests::of_process().call([&] { MPI_Cancel(&begun_[i]); });
    }
    for (std::size_t i = 0; i < begun_.size(); ++i) {
      const bool receives = i < in.size();
      const int peer = receives ? in[i].peer : out[i - in.size()].peer;
      request_awaited a(begun_[i],
                        {.call = receives ? "sweep: recv from" : "sweep: send to",
                         .where = std::source_location::current(),
                         .of_message = true,
                         .peer = peer,
                         .tag = tag_},
                        false);
      requests::of_process().wait(a);
      try {
        a.check();
      } catch (...) {
        if (failure == nullptr) failure = std::current_exception();
      }
      int cancelled = 0;
      MPI_Test_cancelled(&a.status, &cancelled);
      if (!receives || cancelled != 0) continue;
      ++received_from_[static_cast<std::size_t>(peer)];
      if (size_of(a.status) == 0) all_came = false;
    }
    if (failure != nullptr) std::rethrow_exception(failure);
    return all_came;
  }

  // All ranks end the sweep, `early` those which have failed, or heard of it. Returns the lowest rank that has failed, or the
  // number of ranks. Afterwards no message is under way.
  int end(bool failed, bool early) {
    int mine = failed ? rank_ : static_cast<int>(sent_to_.size());
    if (!early) {
      const int first = allreduce(mine, MPI_MIN, comm_);
      if (first != static_cast<int>(sent_to_.size())) {
        const errors_returned guard(comm_);
        receive_what_is_under_way();
      }
      return first;
    }
    const errors_returned guard(comm_);
    int first = 0;
    tell_failure();
    MPI_Request agreed = MPI_REQUEST_NULL;
    requests& all = requests::of_process();
    all.call([&] { return MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm_, &agreed); });
    // Others wait for what they send to this rank. It is received before they come to the allreduce. They may come there late, after
    // another sweep for which this worker is needed.
    for (int done = 0; done == 0;) {
      found_message found;
      sennit::blocking([&] {
        for (;;) {
          all.call([&] { return MPI_Test(&agreed, &done, MPI_STATUS_IGNORE); });
          if (done != 0 || found.look(MPI_ANY_SOURCE, tag_, comm_)) return;
          std::this_thread::yield();
        }
      });
      if (done == 0) discard_found(found);
    }
    receive_what_is_under_way();
    return first;
  }

 private:
  template <class Call>
  void begin(const Call& call, const transfer& t) {
    const byte_count count(t.bytes.size(), std::source_location::current());
    MPI_Request request = MPI_REQUEST_NULL;
    check(requests::of_process().call([&] {
      return call(t.bytes.data(), count.count(), count.type(), t.peer, tag_, comm_, &request);
    }),
          "sweep", std::source_location::current());
    begun_.push_back(request);
  }

  void tell_failure() noexcept {
    for (std::size_t r = 0; r < news_.size(); ++r) {
      if (static_cast<int>(r) == rank_) continue;
      const int code = requests::of_process().call(
          [&] { return MPI_Isend(nullptr, 0, MPI_BYTE, static_cast<int>(r), tag_, comm_, &news_[r]); });
      if (code == MPI_SUCCESS) ++sent_to_[r];
    }
  }

  bool discard_one(int from) noexcept {
    found_message found;
    if (!found.look(from, tag_, comm_)) return false;
    discard_found(found);
    return true;
  }

  void discard_found(found_message& found) noexcept {
    discard(found.message);
    ++received_from_[static_cast<std::size_t>(found.status.MPI_SOURCE)];
  }

  void receive_what_is_under_way() {
    alltoall(sent_to_, under_way_, comm_);
    for (std::size_t r = 0; r < under_way_.size(); ++r) {
      while (received_from_[r] < under_way_[r])
        if (!discard_one(static_cast<int>(r))) std::this_thread::yield();
    }
    wait_all(news_);
  }

  MPI_Comm comm_;
  const int tag_;
  const int rank_;
  std::vector<MPI_Request> begun_;
  std::vector<std::uint64_t> sent_to_;  // messages, by rank
  std::vector<std::uint64_t> received_from_;
  std::vector<std::uint64_t> under_way_;
  std::vector<MPI_Request> news_;  // of the failure, by rank
};

}  // namespace sennit::mpi::detail
