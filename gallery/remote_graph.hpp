// SPDX-License-Identifier: Apache-2.0
// How much of what the nodes of a task graph touch lies on other NUMA nodes, counted rather than measured, so that a virtual
// machine will do. As in Maglalang, Krishnamoorthy and Agrawal, "Locality-aware dynamic task graph scheduling", 2016, V.B:
// for each node that is computed, itself and all of its predecessors, of which each lies where its owner is.
#pragma once

#include "gallery/graphs.hpp"

#include <sennit/graph.hpp>
#include <sennit/per_worker.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace gallery {

struct remote_count {
  std::uint64_t accesses = 0;
  std::uint64_t remote = 0;
  std::uint64_t nodes = 0;         // of the graph
  std::uint64_t remote_nodes = 0;  // that were computed elsewhere than where they lie
  std::size_t places_at_work = 0;

  double share() const {
    return accesses == 0 ? 0 : static_cast<double>(remote) / static_cast<double>(accesses);
  }
};

// Runs the graph on the runtime and counts. `pause` is called for each node, which may make it last longer.
// `of_interest(key)`: whether what the node touches counts; a sink that only collects does not.
template <class Key, class Predecessors, class Compute, class Owner, class Pause, class OfInterest>
remote_count count_remote(const task_graph<Key, Predecessors, Compute, Owner>& graph, const color_choice& how,
                          const Pause& pause, const OfInterest& of_interest) {
  struct counter {
    remote_count count;
    unsigned place = 0;
  };
  const unsigned places = sennit::graph::color_count(sennit::graph::places::nodes);
  sennit::per_worker<counter> of_workers;
  const auto compute = [&](const Key& k) {
    graph.compute(k);
    pause();
    if (!of_interest(k)) return;
    counter& own = of_workers.local();
    own.place = sennit::graph::color_here(sennit::graph::places::nodes);
    const auto touch = [&](const Key& touched) {
      const bool remote = graph.owner(touched, places) != own.place;
      ++own.count.accesses;
      own.count.remote += remote ? 1 : 0;
      return remote;
    };
    ++own.count.nodes;
    own.count.remote_nodes += touch(k) ? 1 : 0;
    for (const Key& p : graph.predecessors(k)) touch(p);
  };
  run_graph<sennit::parallel>(task_graph<Key, Predecessors, decltype(compute), Owner>{graph.box, graph.sink,
                                                                                      graph.predecessors,
                                                                                      compute, graph.owner},
                              how);
  remote_count all;
  std::vector<bool> at_work(places);
  of_workers.for_each([&](const counter& one) {
    all.accesses += one.count.accesses;
    all.remote += one.count.remote;
    all.nodes += one.count.nodes;
    all.remote_nodes += one.count.remote_nodes;
    if (one.count.nodes != 0) at_work[one.place] = true;
  });
  all.places_at_work = static_cast<std::size_t>(std::accumulate(at_work.begin(), at_work.end(), 0));
  return all;
}

}  // namespace gallery
