// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/graph_waits.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace command {
namespace {

using sennit::graph::trace;
using ns = std::chrono::nanoseconds;

// Where a graph has loops, a node may be told to need one that ran only later.
bool comes_before(const trace::node& p, const trace::node& n) { return &p != &n && p.begin <= n.begin; }

ns time_of(const trace::node& n) { return std::max(ns{0}, n.end - n.begin); }

// How long at least one worker had computed nothing, at any time of the run.
class idle_clock {
 public:
  explicit idle_clock(const trace& t) {
    std::vector<std::pair<ns, int>> changes;
    for (const std::vector<busy_time>& of : busy_times(t)) {
      for (const auto& [begin, end] : of) {
        changes.emplace_back(begin, 1);
        changes.emplace_back(end, -1);
      }
    }
    std::ranges::sort(changes);
    std::int64_t busy = 0;
    ns total{0};
    at_.push_back({ns{0}, total, busy < t.workers()});
    for (const auto& [time, change] : changes) {
      const moment& before = at_.back();
      if (before.idle) total += time - before.time;
      busy += change;
      at_.push_back({time, total, busy < t.workers()});
    }
  }
  ns until(ns time) const {
    const auto behind = std::ranges::upper_bound(at_, time, {}, &moment::time);
    if (behind == at_.begin()) return ns{0};
    const moment& before = *std::prev(behind);
    return before.idle ? before.total + (time - before.time) : before.total;
  }

 private:
  struct moment {
    ns time;
    ns total;   // until then
    bool idle;  // from then on
  };
  std::vector<moment> at_;
};

// All nodes, each behind its predecessors. Nodes that began and ended at once may be in another order in the trace.
std::vector<std::uint32_t> in_order(const trace& t) {
  const auto& nodes = t.nodes();
  std::vector<std::size_t> first(nodes.size() + 1);
  for (const trace::node& n : nodes) {
    for (const std::uint32_t p : n.predecessors) first[p + 1] += comes_before(nodes[p], n) ? 1 : 0;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) first[i + 1] += first[i];
  std::vector<std::uint32_t> successors(first.back());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  std::vector<std::size_t> missing(nodes.size());
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    for (const std::uint32_t p : nodes[i].predecessors) {
      if (!comes_before(nodes[p], nodes[i])) continue;
      ++missing[i];
      successors[next[p]++] = i;
    }
    if (missing[i] == 0) order.push_back(i);
  }
  for (std::size_t at = 0; at < order.size(); ++at) {
    const std::uint32_t n = order[at];
    for (std::size_t s = first[n]; s < first[n + 1]; ++s) {
      if (--missing[successors[s]] == 0) order.push_back(successors[s]);
    }
  }
  return order;
}

}  // namespace

std::vector<std::vector<busy_time>> busy_times(const trace& t) {
  std::vector<std::vector<busy_time>> all(t.workers());
  for (const trace::node& n : t.nodes()) {
    // A node that waits for its own branches may run other nodes in the meantime.
    std::vector<busy_time>& of = all[n.worker];
    if (!of.empty() && n.begin <= of.back().end) {
      of.back().end = std::max(of.back().end, n.end);
    } else {
      of.push_back({n.begin, std::max(n.begin, n.end)});
    }
  }
  return all;
}

std::vector<node_wait> waits_of(const trace& t) {
  if (!t.has_predecessors()) return {};
  const idle_clock idle(t);
  const auto& nodes = t.nodes();
  std::vector<node_wait> waits(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    node_wait& wait = waits[i];
    for (const std::uint32_t p : nodes[i].predecessors) {
      if (!comes_before(nodes[p], nodes[i])) continue;
      if (wait.last != no_node && nodes[p].end <= wait.ready) continue;
      wait.last = p;
      wait.ready = nodes[p].end;
    }
    // Clocks of two processors may differ a little.
    if (wait.last == no_node || nodes[i].begin <= wait.ready) continue;
    wait.waited = nodes[i].begin - wait.ready;
    wait.avoidable = idle.until(nodes[i].begin) - idle.until(wait.ready);
  }
  return waits;
}

std::optional<graph_chain> longest_chain(const trace& t) {
  if (!t.has_predecessors()) return std::nullopt;
  const auto& nodes = t.nodes();
  std::vector<ns> until(nodes.size());
  std::vector<std::uint32_t> before(nodes.size(), no_node);
  std::uint32_t last = no_node;
  for (const std::uint32_t i : in_order(t)) {
    for (const std::uint32_t p : nodes[i].predecessors) {
      if (!comes_before(nodes[p], nodes[i])) continue;
      if (before[i] == no_node || until[p] > until[before[i]]) before[i] = p;
    }
    until[i] = time_of(nodes[i]) + (before[i] == no_node ? ns{0} : until[before[i]]);
    if (last == no_node || until[i] > until[last]) last = i;
  }
  graph_chain chain;
  if (last != no_node) chain.time = until[last];
  for (; last != no_node; last = before[last]) chain.nodes.push_back(last);
  std::ranges::reverse(chain.nodes);
  return chain;
}

}  // namespace command
