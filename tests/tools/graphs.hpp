// SPDX-License-Identifier: Apache-2.0
// Traces of graphs that never ran.
#pragma once

#include <sennit/detail/graph/tracing.hpp>
#include <sennit/graph_trace.hpp>
#include <sennit/runtime.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace command {

struct made_node {
  std::string key;
  std::uint32_t worker = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::vector<std::size_t> needs{};  // positions
};

// Of nodes in the order in which they began. The trace has two workers, or more if nodes say so.
inline sennit::graph::trace made_trace(const std::vector<made_node>& nodes, std::uint64_t length,
                                       std::size_t most = 10'000'000, bool failed = false) {
  sennit::graph::trace t(most);
  sennit::runtime runtime({.workers = 2});
  runtime.run([&] {
    std::vector<sennit::detail::node_note> notes;
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
      notes.push_back(
          {.node = i, .worker = nodes[i].worker, .place = 0, .begin = nodes[i].begin, .end = nodes[i].end});
    sennit::detail::trace_filler filler(t, std::move(notes), length);
    if (failed) filler.set_failed();
    for (std::size_t i = 0; i < filler.size(); ++i) {
      const made_node& n = nodes[filler.number(i)];
      filler.set_key(i, n.key);
      if (!filler.wants_predecessors()) continue;
      for (const std::size_t p : n.needs) filler.add_predecessor(i, static_cast<std::uint32_t>(p));
    }
    filler.finish();
  });
  return t;
}

// Nodes on a few workers, with pauses, nodes of no time, nodes within others, and clocks that differ a little.
inline std::vector<made_node> random_nodes(unsigned seed, std::size_t count, std::uint32_t workers) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  std::vector<made_node> nodes;
  std::uint64_t now = 0;
  for (std::size_t i = 0; i < count; ++i) {
    now += below(4);
    const std::uint64_t size = below(3) == 0 ? 0 : below(20);
    made_node n{std::to_string(i), static_cast<std::uint32_t>(below(workers)), now, now + size};
    for (std::size_t p = 0; p < i; ++p) {
      // The clock of the other worker may be one ahead.
      if (nodes[p].end <= now + 1 && below(4) == 0) n.needs.push_back(p);
    }
    nodes.push_back(std::move(n));
  }
  return nodes;
}

}  // namespace command
