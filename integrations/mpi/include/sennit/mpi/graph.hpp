// SPDX-License-Identifier: Apache-2.0
// graph: a graph of tasks whose nodes are computed by several ranks.
#pragma once

#include <sennit/graph.hpp>
#include <sennit/mpi/detail/agreed_failure.hpp>
#include <sennit/mpi/detail/graph_run.hpp>
#include <sennit/mpi/detail/plain_messages.hpp>
#include <sennit/mpi/detail/requests.hpp>
#include <sennit/mpi/graph_error.hpp>

#include <mpi.h>

#include <concepts>
#include <exception>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::mpi {

// Where a node is computed: by which rank, and near which of its places (graph::coloring). Without a place, any worker.
//
// Example:
//   #include <sennit/mpi.hpp>
//   #include <cstdio>
//   #include <vector>
//
//   void chain(int n, int ranks, unsigned places, void (*step)(int)) {
//     const auto before = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1}; };
//     const auto where = [=](int k) { return sennit::mpi::rank_and_place{k % ranks, static_cast<unsigned>(k) % places}; };
//     try {
//       sennit::mpi::run(MPI_COMM_WORLD, std::vector<int>{n},
//                        sennit::mpi::nodes{.predecessors = before, .compute = step, .color = where});
//     } catch (const sennit::mpi::graph_error& e) {
//       std::fprintf(stderr, "%s (rank %d)\n", e.what(), e.rank());
//     }
//   }
struct rank_and_place {
  int rank = 0;
  unsigned place = ~0U;
};

// A graph, described as for graph::run. All ranks give the same description.
//
//   predecessors(key), compute(key) or compute(key, node)   as there
//   color(key)          the rank that computes the node: an int, or a rank_and_place
//   hash                void, or a hash of keys
//   coloring            which places the colors are
//   priority(key)       an int: of the nodes that are ready on a rank, which it computes first. For nodes whose values other
//                       ranks wait for
//
// Keys and values travel between ranks. They are trivially copyable, or a std::vector or std::string of such, or have functions
// `pack(packed_bytes&, const T&)` and `unpack(packed_bytes&, T&)` in their namespace, which call put() and get(). Or they are a
// std::shared_ptr of such: nodes of a rank share what it points to, and another rank gets a copy.
template <class Predecessors, class Compute, class Color, class Hash = std::type_identity<void>,
          class Priority = graph::no_priority>
struct nodes {
  Predecessors predecessors;
  Compute compute;
  Color color;
  Hash hash{};
  graph::coloring coloring{};
  Priority priority{};
};

namespace detail {

// One rank and one sink: graph::run alone, whose exceptions are those of rank 0.
template <class Key, class Predecessors, class Compute, class Color, class Hash, class Priority>
void run_on_one_rank(const Key& sink, const nodes<Predecessors, Compute, Color, Hash, Priority>& given) {
  using keys = graph::hashed<typename Hash::type>;
  try {
    if constexpr (std::integral<std::invoke_result_t<const Color&, const Key&>>) {
      (void)graph::run(sink, graph::nodes{.predecessors = given.predecessors,
                                          .compute = given.compute,
                                          .keys = keys(),
                                          .priority = given.priority});
    } else {
      const auto place = [&](const Key& k) { return given.color(k).place; };
      (void)graph::run(sink, graph::nodes{.predecessors = given.predecessors,
                                          .compute = given.compute,
                                          .color = place,
                                          .keys = keys(),
                                          .coloring = given.coloring,
                                          .priority = given.priority});
    }
  } catch (const std::exception& e) {
    std::throw_with_nested(graph_error(std::string("sennit::mpi: on rank 0: ") + e.what(), 0));
  }
}

template <class Transport, class Key, class Predecessors, class Compute, class Color, class Hash,
          class Priority>
void run_on_ranks(MPI_Comm comm, const std::vector<Key>& sinks,
                  const nodes<Predecessors, Compute, Color, Hash, Priority>& given) {
  if (ranks_of(comm) == 1 && sinks.size() == 1) return run_on_one_rank(sinks.front(), given);
  MPI_Comm own = MPI_COMM_NULL;
  complete({.call = "graph", .where = std::source_location::current()},
           [&](MPI_Request* r) { return MPI_Comm_idup(comm, &own, r); });
  // Whatever the communicator's handler does, a failure is to end the graph and not the program.
  requests::of_process().call([&] { MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN); });
  try {
    graph_run<Key, nodes<Predecessors, Compute, Color, Hash, Priority>, typename Hash::type, Transport>(own,
                                                                                                        given)
        .run(sinks);
  } catch (const error& e) {
    end_all_ranks(e, comm);
  } catch (...) {
    requests::of_process().call([&] { MPI_Comm_free(&own); });
    throw;
  }
  requests::of_process().call([&] { MPI_Comm_free(&own); });
}

}  // namespace detail

// Computes the sinks, and all nodes that they need, each on the rank of its color. A rank finds its part from the sinks that it
// owns, and from what other ranks ask it for. The value of a node is sent once to each rank that reads it, as soon as there is
// one. Within a rank this is graph::run, with its colored steals, and joins and loops inside of nodes; a node that needs a
// value of another rank waits without a strand. On one rank, with one sink, it is that call alone.
//
// All ranks of the communicator call it, with the same sinks and the same description. Throws graph_error on all ranks if a function
// threw on one, or if a rank asks another one for a node to which that rank gives another rank or other predecessors,
// or if a message of MPI failed. If a collective of MPI failed on a rank, the others wait for that rank, and nothing of MPI ends
// their wait: the rank says so on stderr, and ends all of them by MPI_Abort. The cancellation of the surrounding region on one rank is a failure of that rank. MPI can be used afterwards.
// Thread-safety: strands that run beside each other use communicators of their own. Cost: on one rank, with one
// sink, none beyond graph::run.
// On several, two calls of predecessors() and some 200 ns more for a node, and a message for a value. A vector or string, or a
// shared one, goes from the memory of one rank to that of the other; it must not change before the run ends. Other values are
// copied on each side. Values of up to 512 bytes that follow each other within 5 us go together: one waits for others no longer than
// its rank has work, and two milliseconds at most. A value is freed some time after it has been sent, unless nodes of its own rank
// read it: then, when the run ends.
template <class Key, class Predecessors, class Compute, class Color, class Hash, class Priority>
void run(MPI_Comm comm, const std::vector<Key>& sinks,
         const nodes<Predecessors, Compute, Color, Hash, Priority>& given) {
  detail::run_on_ranks<detail::plain_messages>(comm, sinks, given);
}

}  // namespace sennit::mpi
