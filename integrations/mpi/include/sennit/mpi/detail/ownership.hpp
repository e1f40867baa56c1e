// SPDX-License-Identifier: Apache-2.0
// Whether two ranks have taken a node for their own, which then both would compute.
#pragma once

#include <sennit/detail/graph/key_text.hpp>
#include <sennit/mpi/collectives.hpp>
#include <sennit/mpi/detail/packing.hpp>
#include <sennit/mpi/detail/requests.hpp>
#include <sennit/mpi/detail/types.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <numeric>
#include <ranges>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sennit::mpi::detail {

// The nodes of a rank, and whether nodes of the same rank read their values.
template <class Key, class Hash>
using own_nodes = std::unordered_map<Key, bool, Hash>;

// A digest of each node goes to the rank that the digest names. Two ranks that have the same node meet there.
template <class Key, class Hash>
class ownership {
 public:
  ownership(MPI_Comm comm, const own_nodes<Key, Hash>& own) : comm_(comm), rank_(rank_in(comm)), own_(own) {}

  // All ranks call it. Throws std::logic_error on a rank whose node is found to be another one's, too. Not all are found: of nodes
  // with one digest only the first rank's are compared, and after most_looks digests no more. A good hash has neither.
  void check() {
    std::exception_ptr failure;
    const auto all_could = [&](auto work) {
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      return allreduce(failure != nullptr ? 1 : 0, MPI_MAX, comm_) == 0;
    };
    if (all_could([this] { deal(); })) {
      alltoall(sent_, received_, comm_);
      if (all_could([this] { make_room(); })) {
        exchange();
        look(failure);
      }
    }
    if (failure != nullptr) std::rethrow_exception(failure);
  }

 private:
  // A bad hash is to cost some rounds, not one for each node.
  static constexpr unsigned most_looks = 100;
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t digest(const Key& k) const {
    const std::uint64_t h = Hash()(k) * 0x9e3779b97f4a7c15ULL;
    return std::min(h ^ (h >> 32), none - 1);
  }

  // The digests in the order of their ranks, and room for those of other ranks.
  void deal() {
    const std::size_t ranks = ranks_of(comm_);
    sent_.resize(ranks);
    received_.resize(ranks);
    for (const Key& k : own_ | std::views::keys) ++sent_[digest(k) % ranks];
    starts_of_sent_.resize(ranks);
    std::exclusive_scan(sent_.begin(), sent_.end(), starts_of_sent_.begin(), 0);
    out_.resize(own_.size());
    std::vector<int> next = starts_of_sent_;
    for (const Key& k : own_ | std::views::keys) {
      const std::uint64_t d = digest(k);
      out_[static_cast<std::size_t>(next[d % ranks]++)] = d;
    }
    starts_of_received_.resize(ranks);
  }

  void make_room() {
    std::exclusive_scan(received_.begin(), received_.end(), starts_of_received_.begin(), 0);
    in_.resize(static_cast<std::size_t>(starts_of_received_.back() + received_.back()));
  }

  void exchange() {
    complete({.call = "digests of nodes", .where = std::source_location::current()}, [&](MPI_Request* r) {
      return MPI_Ialltoallv(out_.data(), sent_.data(), starts_of_sent_.data(), MPI_UINT64_T, in_.data(),
                            received_.data(), starts_of_received_.data(), MPI_UINT64_T, comm_, r);
    });
    // A rank's own nodes may have a digest in common, which concerns nobody. That is found by a closer look.
    std::ranges::sort(in_);
  }

  // The least digest from `least` on that came twice.
  std::uint64_t next_twice(std::uint64_t least) const {
    auto at = std::ranges::lower_bound(in_, least);
    at = std::adjacent_find(at, in_.end());
    return at == in_.end() ? none : *at;
  }

  void look(std::exception_ptr& failure) {
    std::uint64_t least = 0;
    for (unsigned looks = 0; looks < most_looks; ++looks) {
      const std::uint64_t twice = allreduce(next_twice(least), MPI_MIN, comm_);
      if (twice == none) return;
      least = twice + 1;
      look_at(twice, failure);
    }
  }

  // The first of the ranks that have such nodes shows them to the others.
  void look_at(std::uint64_t twice, std::exception_ptr& failure) {
    const auto has = [&](const Key& k) { return digest(k) == twice; };
    const int ranks = static_cast<int>(sent_.size());
    const int first =
        allreduce(std::ranges::any_of(own_ | std::views::keys, has) ? rank_ : ranks, MPI_MIN, comm_);
    packed_bytes shown;
    // Whatever is thrown, the rank stays in step with the others.
    const auto keeping_failure = [&](auto work) {
      try {
        work();
      } catch (...) {
        if (failure == nullptr) failure = std::current_exception();
        return false;
      }
      return true;
    };
    if (first == rank_ && !keeping_failure([&] {
          for (const Key& k : own_ | std::views::keys)
            if (has(k)) put(shown, k);
        })) {
      shown.bytes().clear();
    }
    std::size_t size = shown.bytes().size();
    bcast(std::span(&size, 1), first, comm_);
    const bool has_room = keeping_failure([&] { shown.bytes().resize(size); });
    if (allreduce(has_room ? 1 : 0, MPI_MIN, comm_) == 0) return;
    bcast(shown.bytes(), first, comm_);
    if (first != rank_ && failure == nullptr) keeping_failure([&] { compare(shown, first); });
  }

  void compare(packed_bytes& shown, int first) const {
    while (!shown.all_taken()) {
      const Key k = get<Key>(shown);
      if (!own_.contains(k)) continue;
      throw std::logic_error("sennit::mpi: node " + sennit::detail::text_of_key(k) + " is rank " +
                             std::to_string(first) + "'s there and rank " + std::to_string(rank_) +
                             "'s here; all ranks have to give a node the same rank");
    }
  }

  MPI_Comm comm_;
  const int rank_;
  const own_nodes<Key, Hash>& own_;
  std::vector<std::uint64_t> out_;
  std::vector<std::uint64_t> in_;
  std::vector<int> sent_;  // how many, by rank
  std::vector<int> received_;
  std::vector<int> starts_of_sent_;
  std::vector<int> starts_of_received_;
};

}  // namespace sennit::mpi::detail
