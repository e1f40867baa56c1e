// SPDX-License-Identifier: Apache-2.0
// What a run of a graph of tasks tells of itself besides its time: after how long each worker came to its first node, and, where
// nodes are long enough for two looks at the clock, how far the run was from what no schedule can do better.
#pragma once

#include "common/program.hpp"
#include "gallery/graphs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace graph_kernels {

class probe {
 public:
  using figures_of_run = std::vector<std::pair<const char*, double>>;

  explicit probe(unsigned workers) : workers_(workers), first_works_(workers) {}

  // run(graph), where the graph notes each worker's first node. A node pays one comparison.
  template <class Key, class Predecessors, class Compute, class Owner, class Run>
  void first_works(const gallery::task_graph<Key, Predecessors, Compute, Owner>& graph, const Run& run) {
    begin();
    run(with(graph, [this, &graph](const Key& k) {
      note_worker();
      graph.compute(k);
    }));
    end();
  }

  // The same, where it notes also when each node began and ended.
  template <class Key, class Predecessors, class Compute, class Owner, class Run>
  void all_nodes(const gallery::task_graph<Key, Predecessors, Compute, Owner>& graph, const Run& run) {
    std::vector<timed_node<Key>> nodes(points(graph));
    begin();
    run(with(graph, [this, &graph, &nodes](const Key& k) {
      note_worker();
      const double began = bench::now();
      graph.compute(k);
      nodes[position(graph, k)] = {k, began, bench::now()};
    }));
    end();
    compare_with_bound(graph, nodes);
  }

  // Of the latest run. A worker that came to no node counts as if it had come to one at the end.
  figures_of_run figures() const {
    const std::size_t came = std::min<std::size_t>(came_.load(), workers_);
    double last = came < workers_ ? seconds_ : 0;
    double sum = static_cast<double>(workers_ - came) * seconds_;
    for (std::size_t i = 0; i < came; ++i) {
      last = std::max(last, first_works_[i]);
      sum += first_works_[i];
    }
    figures_of_run all = {{"us_to_first_work", sum / workers_ * 1e6}, {"us_to_first_work_last", last * 1e6}};
    all.insert(all.end(), of_nodes_.begin(), of_nodes_.end());
    return all;
  }

 private:
  template <class Key>
  struct timed_node {
    Key key{};
    double began = 0;
    double ended = 0;
  };

  template <class Key, class Predecessors, class Compute, class Owner, class Other>
  static auto with(const gallery::task_graph<Key, Predecessors, Compute, Owner>& graph, Other compute) {
    return gallery::task_graph<Key, Predecessors, Other, Owner>{graph.box, graph.sink, graph.predecessors,
                                                                compute, graph.owner};
  }
  template <class Graph, class Key>
  static std::size_t position(const Graph& graph, const Key& k) {
    std::size_t at = 0;
    for (std::size_t d = 0; d < k.size(); ++d)
      at = at * graph.box.extents[d] + static_cast<std::size_t>(k[d]);
    return at;
  }
  template <class Graph>
  static std::size_t points(const Graph& graph) {
    return std::accumulate(graph.box.extents.begin(), graph.box.extents.end(), std::size_t{1},
                           [](std::size_t all, auto extent) { return all * extent; });
  }

  void begin() {
    run_ = next_run.fetch_add(1) + 1;
    came_ = 0;
    of_nodes_.clear();
    start_ = bench::now();
  }
  void end() { seconds_ = bench::now() - start_; }
  void note_worker() {
    if (latest_run != run_) [[unlikely]]
      note_first_work();
  }
  SENNIT_BENCH_NOINLINE void note_first_work() {
    latest_run = run_;
    const std::size_t at = came_.fetch_add(1);
    if (at < workers_) first_works_[at] = bench::now() - start_;
  }

  // No schedule takes less than an equal part of the nodes' times for each worker, nor less than the longest chain of nodes,
  // each of which needs the one before.
  template <class Graph, class Key>
  void compare_with_bound(const Graph& graph, const std::vector<timed_node<Key>>& nodes) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].ended != 0) order.push_back(i);
    std::ranges::sort(order, {}, [&](std::size_t i) { return nodes[i].began; });
    std::vector<double> chain(nodes.size());
    double all = 0;
    double longest = 0;
    for (const std::size_t i : order) {
      const double took = nodes[i].ended - nodes[i].began;
      for (const Key& needed : graph.predecessors(nodes[i].key))
        chain[i] = std::max(chain[i], chain[position(graph, needed)]);
      chain[i] += took;
      all += took;
      longest = std::max(longest, chain[i]);
    }
    of_nodes_ = {{"over_bound", seconds_ / std::max(all / workers_, longest)},
                 {"idle_share", 1 - all / (workers_ * seconds_)}};
  }

  inline static std::atomic<std::uint64_t> next_run = 0;
  inline static thread_local std::uint64_t latest_run = 0;

  unsigned workers_;
  std::vector<double> first_works_;  // in the order in which the workers came
  std::atomic<std::size_t> came_ = 0;
  std::uint64_t run_ = 0;
  double start_ = 0;
  double seconds_ = 0;
  figures_of_run of_nodes_;
};

}  // namespace graph_kernels
