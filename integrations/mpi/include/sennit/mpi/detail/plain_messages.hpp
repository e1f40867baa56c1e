// Values of nodes as messages of MPI. docs/protocols/ranks.md has the protocol.
#pragma once

#include <sennit/mpi/collectives.hpp>
#include <sennit/mpi/detail/bytes.hpp>
#include <sennit/mpi/detail/discarding.hpp>
#include <sennit/mpi/detail/discovery.hpp>
#include <sennit/mpi/detail/packing.hpp>
#include <sennit/mpi/detail/requests.hpp>
#include <sennit/mpi/detail/traced_messages.hpp>
#include <sennit/mpi/detail/types.hpp>
#include <sennit/mpi/wait.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <source_location>
#include <thread>
#include <utility>
#include <vector>

namespace sennit::mpi::detail {

// The values of all nodes of a rank that other ranks read.
using all_readers = std::vector<const std::vector<reader>*>;

// What is called with each value of another rank: with the number that this rank gave the value. Any thread may call it.
using value_came = std::function<void(int, packed_bytes)>;

// How values go to other ranks. A run of a graph has a transport, made by each of its ranks, with these functions:
//
//   expect(sources, came)       before any node is computed: value i comes from rank sources[i]
//   send(bytes, readers)        from any strand, as soon as there is the value
//   receive_all()               on a strand of its own: until all values have come; or until some rank has failed: true
//   tell_failure()              ends receive_all() on all ranks, this one included
//   computed()                  when all nodes of this rank are
//   settle(failed, readers)     on all ranks together, after all of that: returns when nothing is under way any more
class plain_messages {
  static constexpr int failure_tag = 0;

 public:
  explicit plain_messages(MPI_Comm comm)
      : comm_(comm),
        news_(ranks_of(comm), MPI_REQUEST_NULL),
        sent_to_(ranks_of(comm)),
        received_from_(ranks_of(comm)),
        under_way_(ranks_of(comm)) {}

  void expect(const std::vector<int>& sources, value_came came) {
    left_ = sources.size();
    came_ = std::move(came);
  }

  void send(packed_bytes bytes, const std::vector<reader>& to) {
    const std::lock_guard guard(sending_);
    sent_.push_back(std::move(bytes.bytes()));
    for (const reader& r : to) isend(sent_.back(), r.rank, r.number + 1);
  }

  // Needs no memory, and fails on no rank because it fails for another one.
  void tell_failure() noexcept {
    const std::lock_guard guard(sending_);
    if (std::exchange(told_, true)) return;
    for (std::size_t r = 0; r < news_.size(); ++r) {
      const int code = requests::of_process().call([&] {
        return MPI_Isend(nullptr, 0, MPI_BYTE, static_cast<int>(r), failure_tag, comm_, &news_[r]);
      });
      if (code == MPI_SUCCESS) ++sent_to_[r];
    }
  }

  bool receive_all() {
    for (; left_ > 0; --left_) {
      int tag = 0;
      packed_bytes bytes = receive(tag);
      if (tag == failure_tag) return true;
      came_(tag - 1, std::move(bytes));
    }
    return false;
  }

  void computed() noexcept {}

  // What is sent is received, so that all sends complete and nothing stays in MPI.
  void settle(bool failed, const all_readers&) {
    if (failed) discard_what_is_under_way();
    wait_all(requests_);
    wait_all(news_);
  }

 private:
  void isend(byte_buffer& bytes, int to, int tag) {
    const byte_count count(bytes.size(), std::source_location::current());
    requests_.push_back(MPI_REQUEST_NULL);
    trace_sent(to, tag, bytes.size(), comm_);
    check(requests::of_process().call([&] {
      return MPI_Isend(bytes.data(), count.count(), count.type(), to, tag, comm_, &requests_.back());
    }),
          "send the value of a node", std::source_location::current());
    ++sent_to_[static_cast<std::size_t>(to)];
  }

  void discard_what_is_under_way() {
    alltoall(sent_to_, under_way_, comm_);
    for (std::size_t r = 0; r < under_way_.size(); ++r) {
      while (received_from_[r] < under_way_[r]) {
        int source = 0;
        if (discard_if_there(static_cast<int>(r), MPI_ANY_TAG, comm_, source))
          ++received_from_[r];
        else
          std::this_thread::yield();
      }
    }
  }

  packed_bytes receive(int& tag) {
    const auto here = std::source_location::current();
    // Not ended by a cancellation: other ranks send on until they are told.
    message_awaited a(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, here, false);
    requests::of_process().wait(a);
    a.check();
    ++received_from_[static_cast<std::size_t>(a.status.MPI_SOURCE)];
    packed_bytes bytes = room_for(a.message, a.status);
    const byte_count count(bytes.bytes().size(), here);
    tag = a.status.MPI_TAG;
    complete({.call = "recv the value of a node from",
              .where = here,
              .of_message = true,
              .peer = a.status.MPI_SOURCE,
              .tag = tag},
             [&](MPI_Request* r) {
               return MPI_Imrecv(bytes.bytes().data(), count.count(), count.type(), &a.message, r);
             });
    trace_received(a.status, comm_);
    return bytes;
  }

  MPI_Comm comm_;
  value_came came_;
  std::size_t left_ = 0;
  std::mutex sending_;  // of what is sent
  std::deque<byte_buffer> sent_;
  std::vector<MPI_Request> requests_;
  bool told_ = false;
  std::vector<MPI_Request> news_;       // of the failure, by rank
  std::vector<std::uint64_t> sent_to_;  // messages, by rank
  std::vector<std::uint64_t> received_from_;
  std::vector<std::uint64_t> under_way_;
};

}  // namespace sennit::mpi::detail
