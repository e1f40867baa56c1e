// SPDX-License-Identifier: Apache-2.0
// One rank's part of a graph that several ranks compute. docs/protocols/ranks.md has the protocol.
#pragma once

#include <sennit/graph.hpp>
#include <sennit/join.hpp>
#include <sennit/limit.hpp>
#include <sennit/mpi/collectives.hpp>
#include <sennit/mpi/detail/agreed_failure.hpp>
#include <sennit/mpi/detail/discovery.hpp>
#include <sennit/mpi/detail/packing.hpp>
#include <sennit/mpi/detail/plain_messages.hpp>
#include <sennit/mpi/detail/requests.hpp>
#include <sennit/mpi/detail/value_messages.hpp>
#include <sennit/mpi/graph_error.hpp>
#include <sennit/region.hpp>

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iosfwd>
#include <limits>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sennit::mpi::detail {

// A node of one rank's graph; or the one that needs all that the rank has to compute.
template <class Key>
struct rank_key {
  std::optional<Key> key;
  friend bool operator==(const rank_key&, const rank_key&) = default;
  friend std::ostream& operator<<(std::ostream& to, const rank_key& k) {
    return to << (k.key ? sennit::detail::text_of_key(*k.key) : std::string("(all nodes of the rank)"));
  }
};

template <class Key, class Hash>
struct rank_key_hash {
  using is_avalanching = void;
  std::size_t operator()(const rank_key<Key>& k) const {
    return k.key ? sennit::detail::hash_of_graph<Key, Hash>()(*k.key) : ~std::size_t{0};
  }
};

// What the function of a node gets.
template <class Key, class Node, class Predecessors>
class rank_node {
 public:
  rank_node(const Key& k, Node& n, const Predecessors& p) noexcept : key_(k), node_(n), predecessors_(p) {}
  const Key& key() const noexcept { return key_; }
  decltype(auto) predecessors() const { return predecessors_(key_); }
  const auto& value(const Key& predecessor) { return node_.value(rank_key<Key>{predecessor}).get(); }

 private:
  const Key& key_;
  Node& node_;
  const Predecessors& predecessors_;
};

// What compute() returns, whatever node it is given.
template <class Key, class Predecessors, class Compute>
struct value_of_compute {
  struct any_node {
    const Key& key() const;
    std::invoke_result_t<const Predecessors&, const Key&> predecessors() const;
    template <class Any>
    const any_node& value(const Any&);
  };
  static auto probe() {
    if constexpr (std::is_invocable_v<const Compute&, const Key&>) {
      return std::type_identity<std::invoke_result_t<const Compute&, const Key&>>();
    } else {
      return std::type_identity<std::invoke_result_t<const Compute&, const Key&, any_node&>>();
    }
  }
  using type = typename decltype(probe())::type;
};

struct nothing {};

// The value of a node: its own; or one that messages share; or none.
template <class Value>
class rank_value {
 public:
  rank_value() = default;
  explicit rank_value(Value own) : own_(std::move(own)) {}
  explicit rank_value(std::shared_ptr<const sent_value<Value>> shared) noexcept
      : shared_(std::move(shared)) {}
  const Value& get() const noexcept { return shared_ != nullptr ? shared_->value() : *own_; }

 private:
  std::optional<Value> own_;
  std::shared_ptr<const sent_value<Value>> shared_;
};

// One run of a graph on one rank of several. Transport: how values go to other ranks, as plain_messages do.
template <class Key, class Given, class Hash, class Transport>
class graph_run final : value_receiver {
  using predecessors = decltype(Given::predecessors);
  using compute = decltype(Given::compute);
  using result = typename value_of_compute<Key, predecessors, compute>::type;
  using value = std::conditional_t<std::is_void_v<result>, nothing, result>;
  static_assert(packable<Key>,
                "mpi::run: keys travel between ranks: make the key trivially copyable, or a std::vector or "
                "std::string, or give it pack() and unpack()");
  static_assert(
      packable<value>,
      "mpi::run: values travel between ranks: make the value trivially copyable, or a std::vector or "
      "std::string of such, or give it pack() and unpack()");
  using hash = sennit::detail::hash_of_graph<Key, Hash>;

  // A value of another rank. Its node waits in the limit until it has come.
  struct arrival {
    arrival() { (void)until_it_has_come.try_enter(); }
    limit until_it_has_come{1};
    received_value<value> came;
  };

 public:
  graph_run(MPI_Comm comm, const Given& given) : comm_(comm), rank_(rank_in(comm)), given_(given) {}

  void run(const std::vector<Key>& all_sinks) {
    const auto rank_of = [this](const Key& k) { return rank_of_node(k); };
    std::optional<discovery<Key, hash, predecessors, decltype(rank_of)>> search;
    std::exception_ptr failure;
    try {
      transport_.emplace(comm_);
      search.emplace(comm_, given_.predecessors, rank_of);
    } catch (...) {
      failure = std::current_exception();
    }
    throw_together(failure);
    std::vector<Key> sinks;
    try {
      for (const Key& k : all_sinks) {
        if (rank_of(k) == rank_) sinks.push_back(k);
      }
    } catch (...) {
      failure = std::current_exception();
    }
    found_ = search->run(sinks, failure);
    std::vector<int> sources;
    all_readers readers;
    try {
      sinks.insert(sinks.end(), found_.computed_for_others.begin(), found_.computed_for_others.end());
      arrivals_ = std::vector<arrival>(found_.received.size());
      sources.resize(arrivals_.size());
      for (const auto& [k, number] : found_.received) sources[static_cast<std::size_t>(number)] = rank_of(k);
      for (const auto& of_node : found_.readers) readers.push_back(&of_node.second.others);
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
    }
    throw_together(failure);

    std::exception_ptr receiving_failed;
    try {
      transport_->expect(sources, *this);
      sennit::join([&] { compute_all(sinks, failure); }, [&] { receive_all(receiving_failed); });
    } catch (...) {
      // The surrounding region was cancelled. Perhaps no branch has begun, and the other ranks have not been told.
      if (failure == nullptr && receiving_failed == nullptr) {
        failure = std::current_exception();
        transport_->tell_failure();
      }
    }
    if (failure == nullptr) failure = receiving_failed;
    const std::exception_ptr unsettled = transport_->settle(some_rank_failed(failure), readers);
    if (failure == nullptr) failure = unsettled;
    throw_together(failure);
  }

 private:
  int rank_of_node(const Key& k) const {
    const auto c = given_.color(k);
    if constexpr (std::integral<decltype(c)>)
      return static_cast<int>(c);
    else
      return c.rank;
  }

  void compute_all(const std::vector<Key>& sinks, std::exception_ptr& failure) {
    try {
      region_.run([&] { run_graph(sinks); });
      transport_->computed();
    } catch (...) {
      failure = std::current_exception();
      transport_->tell_failure();
    }
  }

  void run_graph(const std::vector<Key>& sinks) {
    using key = rank_key<Key>;
    const auto before = [&](const key& k) {
      std::vector<key> all;
      if (!k.key) {
        for (const Key& s : sinks) all.push_back({s});
      } else if (!found_.received.contains(*k.key)) {
        for (const Key& p : given_.predecessors(*k.key)) all.push_back({p});
      }
      return all;
    };
    const auto work = [&](const key& k, auto& node) -> rank_value<value> {
      if (!k.key) return {};
      if (const auto at = found_.received.find(*k.key); at != found_.received.end())
        return rank_value<value>(arrival_of(at->second).came.take());
      if (const auto at = found_.readers.find(*k.key); at != found_.readers.end()) {
        const auto shared = std::make_shared<const sent_value<value>>(compute_node(*k.key, node));
        transport_->send(shared->bytes(), shared, at->second.others);
        return at->second.here ? rank_value<value>(shared) : rank_value<value>();
      }
      return rank_value<value>(compute_node(*k.key, node));
    };
    const auto within = [&](const key& k) -> limit* {
      if (!k.key) return nullptr;
      const auto at = found_.received.find(*k.key);
      return at == found_.received.end() ? nullptr : &arrival_of(at->second).until_it_has_come;
    };
    const auto place = [&](const key& k) -> unsigned {
      if constexpr (std::integral<decltype(given_.color(std::declval<const Key&>()))>)
        return ~0U;
      else
        return k.key ? given_.color(*k.key).place : ~0U;
    };
    const auto first = [&] {
      if constexpr (std::is_same_v<decltype(Given::priority), graph::no_priority>)
        return graph::no_priority();
      else
        return [this](const key& k) {
          if (!k.key) return 0;
          // What others have computed takes no time here, and lets nodes begin.
          return found_.received.contains(*k.key) ? std::numeric_limits<int>::max()
                                                  : int{given_.priority(*k.key)};
        };
    }();
    graph::run(key{}, graph::nodes{.predecessors = before,
                                   .compute = work,
                                   .color = place,
                                   .keys = graph::hashed<rank_key_hash<Key, Hash>>(),
                                   .coloring = given_.coloring,
                                   .priority = first,
                                   .within = within});
  }

  template <class Node>
  value compute_node(const Key& k, Node& node) {
    rank_node<Key, Node, predecessors> seen(k, node, given_.predecessors);
    const auto call = [&]() -> result {
      if constexpr (std::is_invocable_v<const compute&, const Key&>)
        return given_.compute(k);
      else
        return given_.compute(k, seen);
    };
    if constexpr (std::is_void_v<result>) {
      call();
      return {};
    } else {
      return call();
    }
  }

  arrival& arrival_of(int number) noexcept { return arrivals_[static_cast<std::size_t>(number)]; }

  std::byte* room(int number, std::size_t size) override { return arrival_of(number).came.room(size); }
  void has_come(int number) noexcept override { (void)arrival_of(number).until_it_has_come.leave(); }

  // Until all values have come, or some rank has failed.
  void receive_all(std::exception_ptr& failure) {
    try {
      if (transport_->receive_all()) region_.cancel();
    } catch (...) {
      // Nodes wait for values that nobody receives any more.
      failure = std::current_exception();
      region_.cancel();
      transport_->tell_failure();
    }
  }

  bool some_rank_failed(const std::exception_ptr& failure) {
    return allreduce(failure != nullptr ? 1 : 0, MPI_MAX, comm_) != 0;
  }

  // Throws on all ranks if something went wrong on one.
  void throw_together(const std::exception_ptr& failure) {
    const int none = static_cast<int>(ranks_of(comm_));
    const int first = allreduce(failure != nullptr ? rank_ : none, MPI_MIN, comm_);
    if (first != none) throw_failure_of<graph_error>(first, failure, comm_);
  }

  MPI_Comm comm_;
  const int rank_;
  const Given& given_;
  discovered<Key, hash> found_;
  std::vector<arrival> arrivals_;
  sennit::region region_;
  std::optional<Transport> transport_;  // made in step with the other ranks
};

}  // namespace sennit::mpi::detail
