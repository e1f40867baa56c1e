// SPDX-License-Identifier: Apache-2.0
// Which nodes of a graph a rank has to compute, which values it gets from others, and who gets its own.
#pragma once

#include <sennit/detail/graph/key_text.hpp>
#include <sennit/mpi/collectives.hpp>
#include <sennit/mpi/detail/discarding.hpp>
#include <sennit/mpi/detail/ownership.hpp>
#include <sennit/mpi/detail/packing.hpp>
#include <sennit/mpi/detail/requests.hpp>
#include <sennit/mpi/detail/types.hpp>
#include <sennit/mpi/detail/value_messages.hpp>
#include <sennit/mpi/error.hpp>
#include <sennit/mpi/messages.hpp>
#include <sennit/mpi/wait.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sennit::mpi::detail {

template <class Key, class Hash>
struct discovered {
  std::vector<Key> computed_for_others;                     // nodes of this rank
  std::unordered_map<Key, readers_of_value, Hash> readers;  // of these
  std::unordered_map<Key, int, Hash> received;              // nodes of others, with their numbers: 0, 1, ...
};

// Ranks begin with their own sinks and go back from node to node. A rank that comes to a node of another rank asks that rank
// for it. The search is over when all ranks are idle and as many questions have come as were asked, twice in a row.
template <class Key, class Hash, class Predecessors, class RankOf>
class discovery {
 public:
  discovery(MPI_Comm comm, const Predecessors& predecessors, const RankOf& rank_of)
      : comm_(comm),
        rank_(rank_in(comm)),
        ranks_(static_cast<int>(ranks_of(comm))),
        predecessors_(predecessors),
        rank_of_(rank_of),
        asked_(static_cast<std::size_t>(ranks_)) {
    int* most = nullptr;
    int known = 0;
    requests::of_process().call([&] { MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &known); });
    if (known != 0) most_received_ = static_cast<std::size_t>(*most - 1);
  }

  // What went wrong on this rank is in `failure` then, and the other ranks' results are of no use either. Throws mpi::error only
  // if this rank is no longer in step with the others.
  discovered<Key, Hash> run(const std::vector<Key>& sinks, std::exception_ptr& failure) {
    attempt(failure, [&] {
      for (const Key& sink : sinks) reach(sink, false);
    });
    counts before{-1, -1, 0};
    unsigned unchanged = 0;
    bool all_heard = true;
    for (;;) {
      do {
        go_on(failure);
      } while (hear(failure));
      const counts now{sent_, heard_, failure != nullptr ? 1 : 0};
      const counts all = sums(now, failure);
      unchanged = all == before ? unchanged + 1 : 0;
      before = all;
      all_heard = all[0] == all[1];
      // All ranks have the same sums. Questions that MPI does not hand over are not awaited for ever.
      if (unchanged > 0 && (all_heard || (all[2] != 0 && unchanged >= rounds_before_giving_up))) break;
    }
    end_questions(all_heard, failure);
    if (before[2] == 0) {
      for (auto& [k, readers] : found_.readers) readers.here = seen_.find(k)->second;
      look_for_owners(failure);
    }
    return std::move(found_);
  }

 private:
  using counts = std::array<std::int64_t, 3>;

  // Some microseconds, in which a question comes if its sender is at work. Then the strand waits, and its worker does something else.
  static constexpr unsigned rounds_before_waiting = 50;
  // Sums of which each takes as long as a message.
  static constexpr unsigned rounds_before_giving_up = 200;

  // Those that nobody hears may never be complete. Then MPI keeps what it needs of them.
  void end_questions(bool all_heard, std::exception_ptr& failure) noexcept {
    try {
      if (all_heard) return wait_all(requests_);
      for (MPI_Request& r : requests_)
        if (r != MPI_REQUEST_NULL) requests::of_process().call([&] { MPI_Request_free(&r); });
      (void)new std::deque<byte_buffer>(std::move(sent_buffers_));
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
    }
  }

  void look_for_owners(std::exception_ptr& failure) {
    try {
      ownership<Key, Hash>(comm_, seen_).check();
    } catch (const error&) {
      throw;
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
    }
  }

  void go_on(std::exception_ptr& failure) {
    attempt(failure, [&] {
      go_back();
      send_questions();
    });
  }

  // A sum of all ranks. Questions that come meanwhile are answered at once, and count in the next sum.
  counts sums(const counts& now, std::exception_ptr& failure) {
    counts all{};
    requests& calls = requests::of_process();
    MPI_Request sum = MPI_REQUEST_NULL;
    check(calls.call([&] {
      return MPI_Iallreduce(now.data(), all.data(), static_cast<int>(now.size()), MPI_INT64_T, MPI_SUM, comm_,
                            &sum);
    }),
          "a sum of questions", std::source_location::current());
    int code = MPI_SUCCESS;
    for (unsigned quiet = 0; quiet < rounds_before_waiting; ++quiet) {
      int done = 0;
      code = calls.call([&] { return MPI_Test(&sum, &done, MPI_STATUS_IGNORE); });
      if (done != 0 || code != MPI_SUCCESS) break;
      if (!hear(failure)) continue;
      go_on(failure);
      quiet = 0;
    }
    wait(sum);  // before `all` and `now` end
    check(code, "a sum of questions", std::source_location::current());
    return all;
  }

  template <class Work>
  void attempt(std::exception_ptr& failure, const Work& work) {
    if (failure != nullptr) {
      left_.clear();
      return;
    }
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
      left_.clear();
    }
  }

  int checked_rank_of(const Key& k) const {
    const int r = rank_of_(k);
    if (r >= 0 && r < ranks_) return r;
    throw std::out_of_range("sennit::mpi: the rank of node " + sennit::detail::text_of_key(k) + " is " +
                            std::to_string(r) + ", of " + std::to_string(ranks_) + " ranks");
  }

  // `read_here`: by a node of this rank.
  void reach(const Key& k, bool read_here) {
    const int r = checked_rank_of(k);
    if (r == rank_) {
      const auto [at, is_new] = seen_.try_emplace(k, false);
      at->second |= read_here;
      if (is_new) left_.push_back(k);
      return;
    }
    if (found_.received.size() >= most_received_ && !found_.received.contains(k)) {
      throw std::length_error("sennit::mpi: rank " + std::to_string(rank_) + " needs more than " +
                              std::to_string(most_received_) +
                              " values of other ranks, and this MPI has no more tags; make larger nodes");
    }
    const auto [at, is_new] = found_.received.try_emplace(k, static_cast<int>(found_.received.size()));
    if (is_new) {
      packed_bytes& question = asked_[static_cast<std::size_t>(r)];
      put(question, at->second);
      put(question, k);
      put(question, digest(k));
    }
  }

  void go_back() {
    while (!left_.empty()) {
      const Key k = left_.back();
      left_.pop_back();
      for (const Key& p : predecessors_(k)) reach(p, true);
    }
  }

  // The same on two ranks if the node has the same predecessors there.
  std::uint64_t digest(const Key& k) const {
    std::uint64_t all = 0;
    for (const Key& p : predecessors_(k)) all += Hash()(p) * 0x9e3779b97f4a7c15ULL + 1;
    return all;
  }

  void send_questions() {
    for (int r = 0; r < ranks_; ++r) {
      packed_bytes& question = asked_[static_cast<std::size_t>(r)];
      if (question.bytes().empty()) continue;
      sent_buffers_.push_back(std::move(question.bytes()));
      question = {};
      byte_buffer& sent = sent_buffers_.back();
      const byte_count bytes(sent.size(), std::source_location::current());
      requests_.push_back(MPI_REQUEST_NULL);
      check(requests::of_process().call([&] {
        return MPI_Isend(sent.data(), bytes.count(), bytes.type(), r, 0, comm_, &requests_.back());
      }),
            "a question for nodes", std::source_location::current());
      ++sent_;
    }
  }

  // Whether a question had come. MPI's errors are failures of this rank: the others are told with the next sum.
  bool hear(std::exception_ptr& failure) {
    try {
      return hear_one(failure);
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
      left_.clear();
      return false;
    }
  }

  bool hear_one(std::exception_ptr& failure) {
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check(requests::of_process().call(
              [&] { return MPI_Improbe(MPI_ANY_SOURCE, 0, comm_, &found, &message, &status); }),
          "a question for nodes", std::source_location::current());
    if (found == 0) return false;
    ++heard_;
    packed_bytes question;
    try {
      question = room_for(message, status);
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
      return true;
    }
    const byte_count bytes(question.bytes().size(), std::source_location::current());
    complete({.call = "recv a question for nodes", .where = std::source_location::current()},
             [&](MPI_Request* r) {
               return MPI_Imrecv(question.bytes().data(), bytes.count(), bytes.type(), &message, r);
             });
    attempt(failure, [&] {
      while (!question.all_taken()) {
        const int number = get<int>(question);
        const Key k = get<Key>(question);
        const auto theirs = get<std::uint64_t>(question);
        answer(status.MPI_SOURCE, number, k, theirs);
      }
    });
    return true;
  }

  void answer(int asking, int number, const Key& k, std::uint64_t their_digest) {
    if (const int mine = checked_rank_of(k); mine != rank_) {
      throw std::logic_error("sennit::mpi: node " + sennit::detail::text_of_key(k) + " is rank " +
                             std::to_string(rank_) + "'s as rank " + std::to_string(asking) +
                             " has it, and rank " + std::to_string(mine) + "'s as rank " +
                             std::to_string(rank_) + " has it; all ranks have to give a node the same rank");
    }
    if (digest(k) != their_digest) {
      throw std::logic_error("sennit::mpi: node " + sennit::detail::text_of_key(k) +
                             " has other predecessors on rank " + std::to_string(asking) + " than on rank " +
                             std::to_string(rank_) + "; all ranks have to describe the same graph");
    }
    std::vector<reader>& readers = found_.readers[k].others;
    if (readers.empty()) found_.computed_for_others.push_back(k);
    readers.push_back({asking, number});
    reach(k, false);
  }

  MPI_Comm comm_;
  const int rank_;
  const int ranks_;
  const Predecessors& predecessors_;
  const RankOf& rank_of_;
  discovered<Key, Hash> found_;
  own_nodes<Key, Hash> seen_;
  std::vector<Key> left_;
  std::vector<packed_bytes> asked_;
  std::deque<byte_buffer> sent_buffers_;
  std::vector<MPI_Request> requests_;
  std::size_t most_received_ = 32766;  // a value's number and 2 is its tag; MPI has so many at least
  std::int64_t sent_ = 0;
  std::int64_t heard_ = 0;
};

}  // namespace sennit::mpi::detail
