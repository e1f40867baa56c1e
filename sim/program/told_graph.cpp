// SPDX-License-Identifier: Apache-2.0
#include "program/told_graph.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace sennit::sim {

std::optional<std::size_t> told_graph::waits_for_itself() const {
  std::vector<std::uint32_t> waits(tasks.size());
  std::vector<std::uint32_t> begins(tasks.size() + 1);
  for (const program::edge& e : edges) {
    ++waits[e.after];
    ++begins[e.before + 1];
  }
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
  std::vector<std::uint32_t> after(edges.size());
  for (const program::edge& e : edges) after[next[e.before]++] = e.after;
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < waits.size(); ++i)
    if (waits[i] == 0) ready.push_back(i);
  for (std::size_t k = 0; k < ready.size(); ++k)
    for (std::uint32_t i = begins[ready[k]]; i < begins[ready[k] + 1]; ++i)
      if (--waits[after[i]] == 0) ready.push_back(after[i]);
  if (ready.size() == tasks.size()) return std::nullopt;
  const auto stuck = std::ranges::find_if(waits, [](std::uint32_t w) { return w > 0; });
  return static_cast<std::size_t>(stuck - waits.begin());
}

// A graph like this one, of so much work.
node_number told_graph::like(program& p, picoseconds time, std::uint32_t site) {
  constexpr double steps = 64;
  const auto share =
      static_cast<std::uint64_t>(std::llround(steps * static_cast<double>(time) / static_cast<double>(work)));
  if (share == static_cast<std::uint64_t>(steps)) return as_it_was;
  const auto [at, is_new] = scaled.try_emplace(share, no_node);
  if (!is_new) return at->second;
  std::vector<node_number> alike;
  for (const node_number n : tasks) {
    const node task = p.at(n);
    if (task.what != part::work) {
      alike.push_back(n);
      continue;
    }
    const auto own =
        static_cast<picoseconds>(static_cast<double>(task.time) * (static_cast<double>(share) / steps));
    const std::span<const touch> seen = p.touches(task);
    const std::vector<touch> touched(seen.begin(), seen.end());
    const node_number one = p.work(own, touched, task.site);
    alike.push_back(task.color == no_color ? one : p.colored(one, task.color));
  }
  return at->second = p.graph(alike, edges, site);
}

void told_graph::add_like(program& p, bool whole, picoseconds time, std::uint32_t site,
                          std::vector<node_number>& to) {
  if (work <= 0 || as_it_was == no_node) {
    to.push_back(p.work(time, {}, site));
    return;
  }
  if (!whole) {
    constexpr picoseconds most = 4096;
    for (picoseconds some = std::min(time / work, most); some > 0; --some, time -= work)
      to.push_back(as_it_was);
  }
  if (whole || time > 0) to.push_back(like(p, time, site));
}

}  // namespace sennit::sim
