// SPDX-License-Identifier: Apache-2.0
// static_graph: a graph of tasks that is built once and run any number of times.
#pragma once

#include <sennit/detail/calls.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/local_queue.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/work_pool.hpp>
#include <sennit/detail/telling.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {
class static_graph_access;
}  // namespace sennit::detail

namespace sennit::graph {

// Nodes are numbered from 0 in the order in which they are made. An edge orders two nodes; an edge that is
// added twice counts as one. Nodes and edges may be added between runs; the next run then sorts the edges
// first.
//
// Thread-safety: none. The graph must not be changed while it runs; of its members only run() detects this,
// and throws. At most 2^32 - 2 nodes and 2^32 - 1 edges. Cost of a run: some 10 ns a node and 5 ns an edge.
// Memory: 20 bytes a node and 12 bytes an edge.
//
// Example:
//   #include <cstdint>
//   #include <vector>
//
//   // Each sum is that of the one above it and the one to its left, and of what is given.
//   class table {
//    public:
//     table(std::uint32_t rows, std::uint32_t columns) : sums(rows * columns) {
//       order_.add(rows * columns);
//       for (std::uint32_t i = 0; i < rows * columns; ++i) {
//         if (i >= columns) order_.edge(i - columns, i);
//         if (i % columns != 0) order_.edge(i - 1, i);
//       }
//       columns_ = columns;
//     }
//     void add(const std::vector<double>& given) {
//       order_.run([&](std::uint32_t i) {
//         sums[i] = given[i] + (i >= columns_ ? sums[i - columns_] : 0) + (i % columns_ != 0 ? sums[i - 1] : 0);
//       });
//     }
//     std::vector<double> sums;
//
//    private:
//     sennit::graph::static_graph order_;
//     std::uint32_t columns_;
//   };
class SENNIT_EXPORT static_graph {
 public:
  using node = std::uint32_t;

  static_graph() = default;
  static_graph(const static_graph&) = delete;
  static_graph& operator=(const static_graph&) = delete;

  // Makes one node, or `count` nodes; returns the number of the first. Throws std::length_error and
  // std::bad_alloc.
  node add(std::size_t count = 1);
  // Node `before` must end before node `after` begins. Throws std::out_of_range if a number is not that of a
  // node, cycle_error<node> for an edge from a node to itself, std::length_error and std::bad_alloc.
  void edge(node before, node after);
  std::size_t size() const noexcept { return nodes_.size(); }
  std::size_t edge_count() const noexcept { return edges_.size(); }

  // Calls body(n) once for each node n. Nodes that no path of edges orders run in parallel. Runs in the
  // runtime of the calling strand, or outside any runtime in the default one. Throws what a body threw; if
  // several threw, one of these exceptions. No further bodies begin then, and the graph can be run again.
  // Throws cycle_error if nodes wait for one another, std::logic_error if the graph is already running,
  // std::bad_alloc, and sennit::cancelled in a cancelled region.
  template <class Body>
    requires std::invocable<const Body&, node>
  void run(const Body& body) {
    const claim running(*this);
    sort_edges();
    auto inside = [&] {
      strands<Body> work(*this, body);
      auto all = [&] { work.run(); };
      detail::run_graph(all);
    };
    if (detail::in_strand()) {
      inside();
    } else {
      detail::run_region(nullptr, inside);
    }
  }

 private:
  friend class detail::static_graph_access;
  struct edge_given {
    node before;
    node after;
  };
  struct node_sorted {
    std::uint32_t waiting;  // in a run: predecessors that have not ended; between runs: all predecessors
    std::uint32_t predecessors;
    std::uint32_t first;  // index in after_ of the first successor
    std::uint32_t last;
  };

  class SENNIT_EXPORT claim {
   public:
    explicit claim(static_graph& g);
    claim(const claim&) = delete;
    claim& operator=(const claim&) = delete;
    // ORD[D27] release: the next run, on another thread maybe, finds the nodes as this one leaves them; pairs
    // with the acquire in claim().
    ~claim() { graph_.running_.store(false, std::memory_order_release); }

   private:
    static_graph& graph_;
  };

  template <class Body>
  class strands {
   public:
    strands(static_graph& g, const Body& body) noexcept : graph_(g), body_(body) {}

    void run() {
      pool_.tell_to(detail::claim_told_graph());
      pool_.run(*this, graph_.sources_);
      if (!pool_.stopped()) return;
      for (node_sorted& n : graph_.nodes_) n.waiting = n.predecessors;
      pool_.throw_failure();
    }

    template <class Session>
    void work(Session& own) {
      if (pool_.is_told()) [[unlikely]]
        work_told(own);
      while (own.more()) {
        for (node next = own.todo.take(); next != detail::nobody;) {
          next = compute(next, own.todo);
          own.consider_others(next != detail::nobody);
          if (pool_.stopped()) [[unlikely]]
            return;
        }
      }
    }

   private:
    // The same, apart: to remember a node until it can be told costs a few instructions.
    template <class Session>
    SENNIT_COLD void work_told(Session& own) {
      while (!pool_.stopped() && own.more()) {
        for (node next = own.todo.take(); next != detail::nobody;) {
          const node done = next;
          next = compute(done, own.todo);
          own.consider_others(next != detail::nobody);
          tell(done, own);
          if (pool_.stopped()) return;
        }
      }
    }
    template <class Session>
    void tell(node n, Session& own) noexcept {
      const auto describe = [&](detail::told_node& to) {
        to.number = n;
        if constexpr (requires { body_.name_of(n); }) {
          to.name = body_.name_of(n);
        } else {
          to.name = std::to_string(n);
        }
        to.then = {graph_.after_.data() + graph_.nodes_[n].first,
                   graph_.after_.data() + graph_.nodes_[n].last};
      };
      if (pool_.is_told()) pool_.tell(own.since_ns, describe);
    }
    SENNIT_INLINE node compute(node n, detail::local_queue<node>& todo) {
      body_(n);
      node_sorted& done = graph_.nodes_[n];
      // Prepares the next run. Relaxed: in this run no worker changes this count any more.
      std::atomic_ref(done.waiting).store(done.predecessors, std::memory_order_relaxed);
      node next = detail::nobody;
      for (std::uint32_t i = done.first; i < done.last; ++i) {
        const node after = graph_.after_[i];
        if (!detail::count_down(graph_.nodes_[after].waiting, 1)) continue;
        if (next == detail::nobody) {
          next = after;
        } else {
          todo.add(after);
        }
      }
      return next;
    }

    static_graph& graph_;
    const Body& body_;
    detail::work_pool<strands, node> pool_;
  };

  void sort_edges();
  void place_edges();
  std::vector<bool> nodes_without_order();
  void refuse_cycle();

  std::vector<node_sorted> nodes_;
  std::vector<edge_given> edges_;
  std::vector<node> after_;    // successors, sorted by their predecessor
  std::vector<node> sources_;  // latest first
  bool sorted_ = true;
  std::atomic<bool> running_{false};
};

}  // namespace sennit::graph
