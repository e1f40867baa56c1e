// SPDX-License-Identifier: Apache-2.0
// Values of nodes as messages of MPI. docs/protocols/ranks.md has the protocol.
#pragma once

#include <sennit/mpi/collectives.hpp>
#include <sennit/mpi/detail/bytes.hpp>
#include <sennit/mpi/detail/discarding.hpp>
#include <sennit/mpi/detail/packing.hpp>
#include <sennit/mpi/detail/requests.hpp>
#include <sennit/mpi/detail/traced_messages.hpp>
#include <sennit/mpi/detail/types.hpp>
#include <sennit/mpi/detail/value_messages.hpp>
#include <sennit/mpi/wait.hpp>
#include <sennit/poller.hpp>

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <source_location>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace sennit::mpi::detail {

// How values go to other ranks. A run of a graph has a transport, made by each of its ranks, with these functions:
//
//   expect(sources, receiver)   before any node is computed: value i comes from rank sources[i]
//   send(bytes, owner, readers) from any strand, as soon as there is the value; the bytes stay while the owner is shared
//   receive_all()               on a strand of its own: until all values have come; or until some rank has failed: true
//   tell_failure()              ends receive_all() on all ranks, this one included
//   computed()                  when all nodes of this rank are; throws what went wrong meanwhile
//   settle(failed, readers)     on all ranks together, after all of that: returns when nothing is under way any more, with what went
//                               wrong on this rank
//
// Here brief values to one rank go together, if they follow each other closely.
class plain_messages final : poller {
  static constexpr int failure_tag = 0;
  static constexpr int together_tag = 1;
  static constexpr int first_value_tag = 2;

  static constexpr std::size_t longest_brief = 512;   // bytes; a longer message costs more than the copies
  static constexpr std::size_t most_together = 4000;  // what MPIs send without asking the receiver first
  // Of a sender that waits for company. Some times what a message costs on both sides.
  static constexpr std::chrono::microseconds between_messages{5};

  struct heading {
    std::int32_t number;
    std::uint32_t size;
  };

 public:
  explicit plain_messages(MPI_Comm comm)
      : comm_(comm),
        together_(ranks_of(comm)),
        news_(ranks_of(comm), MPI_REQUEST_NULL),
        sent_to_(ranks_of(comm)),
        received_from_(ranks_of(comm)),
        under_way_(ranks_of(comm)) {
    begin();
  }
  ~plain_messages() {
    drop_brief();
    end();
  }

  void expect(const std::vector<int>& sources, value_receiver& receiver) {
    left_ = sources.size();
    receiver_ = &receiver;
  }

  void send(std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner,
            const std::vector<reader>& to) {
    const bool brief = bytes.size() <= longest_brief;
    const auto now = brief ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    const std::lock_guard guard(sending_);
    for (const reader& r : to) {
      if (brief)
        add_brief(bytes, r, now);
      else
        isend(bytes, owner, r.rank, r.number + first_value_tag);
    }
    if (requests_.size() >= look_at_) let_go_of_sent();
  }

  // Needs no memory, and fails on no rank because it fails for another one.
  void tell_failure() noexcept {
    const std::lock_guard guard(sending_);
    tell_failure_alone();
  }

  bool receive_all() {
    while (left_ > 0)
      if (receive_message()) return true;
    return false;
  }

  void computed() {
    const std::lock_guard guard(sending_);
    if (broken_ != nullptr) std::rethrow_exception(broken_);
    send_brief();
  }

  // What is sent is received, so that all sends complete and nothing stays in MPI.
  std::exception_ptr settle(bool failed, const all_readers&) {
    drop_brief();
    if (failed) discard_what_is_under_way();
    std::exception_ptr failure;
    for (std::vector<MPI_Request>* const sends : {&requests_, &news_}) {
      try {
        wait_all(*sends);
      } catch (...) {
        failure = std::current_exception();
      }
    }
    outgoing_.clear();
    return failure;
  }

 private:
  // --- Sending. The caller holds sending_.

  struct brief_values {
    byte_buffer bytes;
    std::chrono::steady_clock::time_point sent_last{};
  };

  void add_brief(std::span<const std::byte> bytes, const reader& r,
                 std::chrono::steady_clock::time_point now) {
    brief_values& brief = together_[static_cast<std::size_t>(r.rank)];
    const heading h{r.number, static_cast<std::uint32_t>(bytes.size())};
    if (brief.bytes.size() + sizeof h + bytes.size() > most_together) send_brief_to(r.rank, now);
    if (brief.bytes.capacity() == 0) brief.bytes.reserve(most_together);
    const auto* const head = reinterpret_cast<const std::byte*>(&h);
    brief.bytes.insert(brief.bytes.end(), head, head + sizeof h);
    brief.bytes.insert(brief.bytes.end(), bytes.begin(), bytes.end());
    if (now - brief.sent_last >= between_messages)
      send_brief_to(r.rank, now);
    else
      set_waiting(true);
  }

  void send_brief_to(int rank, std::chrono::steady_clock::time_point now) {
    brief_values& brief = together_[static_cast<std::size_t>(rank)];
    if (brief.bytes.empty()) return;
    const auto sent = std::make_shared<const byte_buffer>(brief.bytes.begin(), brief.bytes.end());
    isend(*sent, sent, rank, together_tag);
    brief.bytes.clear();
    brief.sent_last = now;
  }

  void send_brief() {
    if (!waiting_) return;
    const auto now = std::chrono::steady_clock::now();
    for (std::size_t r = 0; r < together_.size(); ++r) send_brief_to(static_cast<int>(r), now);
    set_waiting(false);
  }

  void drop_brief() noexcept {
    const std::lock_guard guard(sending_);
    for (brief_values& brief : together_) brief.bytes.clear();
    set_waiting(false);
  }

  // Workers without work, and a thread where there are none, poll while something waits for company.
  void set_waiting(bool now) noexcept {
    if (std::exchange(waiting_, now) == now) return;
    if (now)
      await_more();
    else
      await_fewer();
  }

  unsigned poll() noexcept override {
    const std::unique_lock guard(sending_, std::try_to_lock);
    if (!guard.owns_lock() || broken_ != nullptr) return 0;
    try {
      send_brief();
      // Now and then, as a look takes as long as there are messages.
      if (!requests_.empty() && ++polls_in_vain_ >= requests_.size()) let_go_of_sent();
    } catch (...) {
      broken_ = std::current_exception();
      tell_failure_alone();
    }
    return 0;
  }

  void isend(std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner, int to, int tag) {
    const byte_count count(bytes.size(), std::source_location::current());
    if (requests_.size() == requests_.capacity()) requests_.reserve(2 * requests_.size() + 16);
    outgoing_.push_back({owner, to});
    requests_.push_back(MPI_REQUEST_NULL);
    trace_sent(to, tag, bytes.size(), comm_);
    check(requests::of_process().call([&] {
      return MPI_Isend(bytes.data(), count.count(), count.type(), to, tag, comm_, &requests_.back());
    }),
          "send the value of a node", std::source_location::current());
    ++sent_to_[static_cast<std::size_t>(to)];
  }

  // Their memory is what values to come are made of.
  void let_go_of_sent() {
    done_.resize(requests_.size());
    statuses_.resize(requests_.size());
    int count = 0;
    int code = requests::of_process().call([&] {
      return MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, done_.data(),
                          statuses_.data());
    });
    if (code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS) {
      for (int i = 0; i < count; ++i) {  // none if the count is undefined, which is negative
        const int failed =
            code == MPI_SUCCESS ? MPI_SUCCESS : statuses_[static_cast<std::size_t>(i)].MPI_ERROR;
        if (failed == MPI_SUCCESS) continue;
        // Nobody is to wait for it.
        --sent_to_[static_cast<std::size_t>(
            outgoing_[static_cast<std::size_t>(done_[static_cast<std::size_t>(i)])].to)];
        code = failed;
      }
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      outgoing_[kept] = std::move(outgoing_[i]);
      requests_[kept++] = requests_[i];
    }
    outgoing_.resize(kept);
    requests_.resize(kept);
    look_at_ = 2 * kept + 4;
    polls_in_vain_ = 0;
    check(code, "send the values of nodes", std::source_location::current());
  }

  void tell_failure_alone() noexcept {
    if (std::exchange(told_, true)) return;
    for (std::size_t r = 0; r < news_.size(); ++r) {
      const int code = requests::of_process().call([&] {
        return MPI_Isend(nullptr, 0, MPI_BYTE, static_cast<int>(r), failure_tag, comm_, &news_[r]);
      });
      if (code == MPI_SUCCESS) ++sent_to_[r];
    }
  }

  // --- Receiving, by one strand.

  // True: it was the news of a failure.
  bool receive_message() {
    // Not ended by a cancellation: other ranks send on until they are told.
    message_awaited a(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, std::source_location::current(), false);
    requests::of_process().wait(a);
    a.check();
    ++received_from_[static_cast<std::size_t>(a.status.MPI_SOURCE)];
    const int tag = a.status.MPI_TAG;
    const std::size_t size = size_of(a.status);
    if (tag == failure_tag) {
      receive_into({}, a);
      return true;
    }
    if (tag == together_tag) {
      received_together_.resize(size);
      receive_into(received_together_, a);
      take_brief();
      return false;
    }
    const int number = tag - first_value_tag;
    receive_into({room_or_discard(number, size, a.message), size}, a);
    receiver_->has_come(number);
    --left_;
    return false;
  }

  std::byte* room_or_discard(int number, std::size_t size, MPI_Message& message) {
    try {
      return receiver_->room(number, size);
    } catch (...) {
      discard(message);
      throw;
    }
  }

  void receive_into(std::span<std::byte> to, message_awaited& a) {
    const auto here = std::source_location::current();
    const byte_count count(to.size(), here);
    complete(
        {.call = "recv the value of a node from",
         .where = here,
         .of_message = true,
         .peer = a.status.MPI_SOURCE,
         .tag = a.status.MPI_TAG},
        [&](MPI_Request* r) { return MPI_Imrecv(to.data(), count.count(), count.type(), &a.message, r); });
    trace_received(a.status, comm_);
  }

  void take_brief() {
    std::span<const std::byte> left(received_together_);
    while (!left.empty()) {
      heading h;
      std::memcpy(&h, left.data(), sizeof h);
      receive_copy(*receiver_, h.number, left.subspan(sizeof h, h.size));
      left = left.subspan(sizeof h + h.size);
      --left_;
    }
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

  MPI_Comm comm_;
  value_receiver* receiver_ = nullptr;
  std::size_t left_ = 0;  // values to come
  byte_buffer received_together_ = byte_buffer(most_together);
  std::mutex sending_;                  // of what is sent, below
  std::vector<brief_values> together_;  // by rank
  bool waiting_ = false;                // some of these
  std::vector<MPI_Request> requests_;
  struct outgoing {
    std::shared_ptr<const void> owner;
    int to;
  };
  std::vector<outgoing> outgoing_;  // what each request sends
  std::size_t look_at_ = 4;         // so many requests, to see which have completed
  std::size_t polls_in_vain_ = 0;   // since then
  std::vector<int> done_;
  std::vector<MPI_Status> statuses_;
  std::exception_ptr broken_;  // what went wrong while nobody could be told
  bool told_ = false;
  std::vector<MPI_Request> news_;       // of the failure, by rank
  std::vector<std::uint64_t> sent_to_;  // messages, by rank
  std::vector<std::uint64_t> received_from_;
  std::vector<std::uint64_t> under_way_;
};

}  // namespace sennit::mpi::detail
