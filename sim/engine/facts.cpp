// SPDX-License-Identifier: Apache-2.0
#include "engine/facts.hpp"

#include <algorithm>
#include <stdexcept>

namespace sennit::sim {

program_facts::program_facts(const program& of) : program_(of), work_(of.size()) {
  if (of.root() == no_node) throw std::invalid_argument("simulate: the program has no root; call set_root()");
  for (node_number n = 0; n < of.size(); ++n) {
    const node& here = of.at(n);
    if (here.color != no_color) colors_ = std::max(colors_, here.color + 1);
    if (here.what == part::work) {
      work_[n] = here.time;
      continue;
    }
    for (const node_number c : of.children(here)) work_[n] += work_[c];
    if (here.what == part::loop) look_at_loop(here);
    if (here.what == part::graph) look_at_graph(here);
  }
}

void program_facts::look_at_loop(const node& loop) {
  if (loop.count == 0) throw std::invalid_argument("simulate: a loop without parts");
  ends_.resize(std::max<std::size_t>(ends_.size(), std::size_t{loop.first} + loop.count));
  std::uint64_t end = 0;
  for (std::uint32_t i = 0; i < loop.count; ++i) {
    const node& n = program_.at(program_.children(loop)[i]);
    ends_[loop.first + i] = end += n.what == part::work ? n.iterations : 1;
  }
}

void program_facts::look_at_graph(const node& graph) {
  const std::size_t size = std::max<std::size_t>(waits_for_.size(), std::size_t{graph.first} + graph.count);
  waits_for_.resize(size);
  first_edges_.resize(size);
  const std::span waits(waits_for_.data() + graph.first, graph.count);
  const std::span firsts(first_edges_.data() + graph.first, graph.count);
  const std::span edges = program_.edges(graph);
  std::ranges::fill(waits, 0);
  std::uint32_t at = 0;
  for (std::uint32_t task = 0; task < graph.count; ++task) {
    firsts[task] = at;
    for (; at < edges.size() && edges[at].before == task; ++at) ++waits[edges[at].after];
  }
  // Each task comes up once, unless there is a cycle.
  std::vector<std::uint32_t> left(waits.begin(), waits.end());
  std::vector<std::uint32_t> ready;
  for (std::uint32_t task = 0; task < graph.count; ++task)
    if (left[task] == 0) ready.push_back(task);
  std::uint32_t done = 0;
  while (!ready.empty()) {
    const std::uint32_t task = ready.back();
    ready.pop_back();
    ++done;
    for (std::size_t e = firsts[task]; e < edges.size() && edges[e].before == task; ++e)
      if (--left[edges[e].after] == 0) ready.push_back(edges[e].after);
  }
  if (done != graph.count)
    throw std::invalid_argument("simulate: tasks of a graph wait for each other in a cycle");
}

}  // namespace sennit::sim
