// SPDX-License-Identifier: Apache-2.0
// What follows from a program and is needed again and again while it is simulated.
#pragma once

#include "program/program.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace sennit::sim {

class program_facts {
 public:
  // Throws std::invalid_argument if the program has no root, or a graph with a cycle.
  explicit program_facts(const program& of);

  // All strands below, one after the other, without their memory.
  picoseconds work(node_number n) const noexcept { return work_[n]; }
  // Of a loop: all of them. A part that holds constructs is one iteration.
  std::uint64_t iterations(const node& loop) const noexcept { return ends_of(loop).back(); }
  // Of a loop: for each part, where the next one begins.
  std::span<const std::uint64_t> ends_of(const node& loop) const noexcept {
    return {ends_.data() + loop.first, loop.count};
  }
  // What an iteration takes on average, in picoseconds.
  picoseconds iteration(node_number loop) const noexcept {
    const std::uint64_t n = iterations(program_.at(loop));
    return n == 0 ? 0 : work_[loop] / n;
  }
  // Of a graph: for each task, how many it waits for; where in the graph's edges its own begin.
  std::span<const std::uint32_t> waits_for(const node& graph) const noexcept {
    return {waits_for_.data() + graph.first, graph.count};
  }
  std::span<const std::uint32_t> first_edges(const node& graph) const noexcept {
    return {first_edges_.data() + graph.first, graph.count};
  }
  // One more than the largest color.
  std::uint32_t colors() const noexcept { return colors_; }

 private:
  void look_at_loop(const node& loop);
  void look_at_graph(const node& graph);

  const program& program_;
  std::vector<picoseconds> work_;
  // By position among the children of all nodes.
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint32_t> waits_for_;
  std::vector<std::uint32_t> first_edges_;
  std::uint32_t colors_ = 0;
};

}  // namespace sennit::sim
