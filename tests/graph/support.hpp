// SPDX-License-Identifier: Apache-2.0
// What the tests of graphs share: a record of what was computed, and runs that are checked against it.
#pragma once

#include "../core/support.hpp"

#include <sennit/graph.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace sennit_test {

namespace graph = sennit::graph;

// How often each node was computed. Plain words, so that ThreadSanitizer finds an order that is missing.
class ledger {
 public:
  explicit ledger(std::size_t nodes) : computed_(nodes) {}

  template <class Range>
  void compute(std::size_t node, Range&& predecessors) {
    for (const auto& p : predecessors) {
      if (computed_[static_cast<std::size_t>(p)] != 1) early_.fetch_add(1, std::memory_order_relaxed);
    }
    ++computed_[node];
  }
  // Nodes that were computed before one of their predecessors, or after it had been computed twice.
  std::uint64_t early() const { return early_; }
  const std::vector<std::uint32_t>& computed() const { return computed_; }

 private:
  std::vector<std::uint32_t> computed_;
  std::atomic<std::uint64_t> early_{0};
};

// 1 for what the sink needs, else 0.
template <class Predecessors>
std::vector<std::uint32_t> needed(std::size_t nodes, int sink, const Predecessors& predecessors) {
  std::vector<std::uint32_t> found(nodes);
  std::vector<int> left{sink};
  found[static_cast<std::size_t>(sink)] = 1;
  while (!left.empty()) {
    const int n = left.back();
    left.pop_back();
    for (const int p : predecessors(n)) {
      if (std::exchange(found[static_cast<std::size_t>(p)], 1U) == 0) left.push_back(p);
    }
  }
  return found;
}

// Runs the graph of nodes below `nodes`, and expects that what the sink needs, and only that, is computed
// once, in order.
template <class Predecessors, class Keys = graph::hashed<>>
void expect_computed(std::size_t nodes, int sink, const Predecessors& predecessors, const Keys& keys = {}) {
  ledger done(nodes);
  graph::run(sink, graph::nodes{.predecessors = predecessors,
                                .compute =
                                    [&](int k, auto& node) {
                                      done.compute(static_cast<std::size_t>(k), node.predecessors());
                                    },
                                .keys = keys});
  EXPECT_EQ(done.early(), 0U) << "a node was computed before its predecessors";
  EXPECT_TRUE(done.computed() == needed(nodes, sink, predecessors))
      << "a node was computed twice, or never, or though nobody needs it";
}
// With either kind of keys.
template <class Predecessors>
void expect_computed_by_all(std::size_t nodes, int sink, const Predecessors& predecessors) {
  expect_computed(nodes, sink, predecessors, graph::dense(nodes));
  expect_computed(nodes, sink, predecessors, graph::hashed<>());
}

// Calls test() within regions of one, two and four workers.
template <class Test>
void with_workers(Test&& test) {
  under(settings({1, 2, 4}), [&](sennit::runtime& rt) { rt.run([&] { test(); }); });
}

// What run() throws, as a type of `Error`; and its text.
template <class Error, class Run>
std::string text_of(Run&& run) {
  try {
    run();
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another exception: ") + e.what();
  }
  return "no exception";
}

// The exception that is nested in it.
template <class Run>
std::exception_ptr nested_in_what_is_thrown(Run&& run) {
  try {
    run();
  } catch (const std::nested_exception& e) {
    return e.nested_ptr();
  } catch (...) {
  }
  return nullptr;
}

}  // namespace sennit_test
