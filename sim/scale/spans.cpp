// SPDX-License-Identifier: Apache-2.0
#include "scale/spans.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

namespace sennit::sim {
namespace {

std::vector<picoseconds> sums_of(std::span<const node_number> parts, const auto& value) {
  std::vector<picoseconds> sums{0};
  sums.reserve(parts.size() + 1);
  for (const node_number p : parts) sums.push_back(sums.back() + value(p));
  return sums;
}

}  // namespace

spans::spans(const program& of_program, picoseconds fork, std::span<const change> changes)
    : program_(of_program), fork_(fork), changes_(changes.begin(), changes.end()) {
  changes_.resize(std::max(changes_.size(), program_.sites()), change::none);
  ends_.resize(program_.size());
  // Each child has a smaller number.
  for (node_number n = 0; n < program_.size(); ++n) ends_[n] = of(program_.at(n));
}

picoseconds spans::time(const node& n) const noexcept {
  switch (changes_[n.site]) {
    case change::none: return n.time;
    case change::twice_as_fast: return n.time / 2;
    case change::parallel: break;
  }
  return 0;
}

spans::ends spans::of(const node& n) {
  const std::span<const node_number> children =
      n.what == part::work ? std::span<const node_number>() : program_.children(n);
  switch (n.what) {
    case part::work: return {time(n), 0};
    // What interleaving gains is the caches'.
    case part::splice:
    case part::series: return series(n);
    case part::fork: return {fork_ + std::max(whole(children[0]), whole(children[1])), 0};
    case part::loop: return {loop(children), 0};
    case part::spawn: return {0, fork_ + whole(children[0])};
    case part::wait: break;
    case part::graph: {
      std::vector<picoseconds> finish;
      std::vector<std::uint32_t> order;
      return {graph(n, finish, order), 0};
    }
  }
  return {};
}

spans::ends spans::series(const node& n) const {
  ends now;
  for (const node_number c : program_.children(n)) {
    if (program_.at(c).what == part::wait) {
      now.own = std::max(now.own, now.children);
      now.children = 0;
      continue;
    }
    if (ends_[c].children > 0) now.children = std::max(now.children, now.own + ends_[c].children);
    now.own += ends_[c].own;
  }
  return now;
}

picoseconds spans::graph(const node& n, std::vector<picoseconds>& finish,
                         std::vector<std::uint32_t>& order) const {
  const std::span<const node_number> tasks = program_.children(n);
  const std::span<const program::edge> edges = program_.edges(n);  // sorted by what comes before
  std::vector<std::uint32_t> waits(tasks.size());
  std::vector<std::uint32_t> first(tasks.size() + 1);
  for (const program::edge& e : edges) {
    ++waits[e.after];
    ++first[e.before + 1];
  }
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  finish.assign(tasks.size(), 0);
  order.clear();
  for (std::uint32_t i = 0; i < tasks.size(); ++i)
    if (waits[i] == 0) order.push_back(i);
  picoseconds last = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint32_t i = order[k];
    finish[i] += fork_ + whole(tasks[i]);
    last = std::max(last, finish[i]);
    for (const program::edge& e : edges.subspan(first[i], first[i + 1] - first[i])) {
      finish[e.after] = std::max(finish[e.after], finish[i]);
      if (--waits[e.after] == 0) order.push_back(e.after);
    }
  }
  if (order.size() < tasks.size())
    throw std::invalid_argument("graph: tasks wait for each other in a circle");
  return last;
}

// Loops ---------------------------------------------------------------------------------------------------------

spans::halved spans::halve(const node& part) const {
  const picoseconds all = time(part);
  const std::uint64_t iterations = std::max<std::uint64_t>(1, part.iterations);
  halved best{all, 0, 1};
  const auto most = static_cast<unsigned>(std::bit_width(iterations - 1));
  for (unsigned cuts = 1; cuts <= most && cuts * fork_ < best.span; ++cuts) {
    const double share = std::max(1 / static_cast<double>(std::uint64_t{1} << std::min(cuts, 63U)),
                                  1 / static_cast<double>(iterations));
    const auto piece = static_cast<picoseconds>(static_cast<double>(all) * share + 0.5);
    const picoseconds span = cuts * fork_ + piece;
    if (span < best.span) best = {span, cuts, share};
  }
  return best;
}

picoseconds spans::serial(node_number part) const {
  const node& p = program_.at(part);
  return p.what == part::work ? time(p) : whole(part);
}

picoseconds spans::loop(std::span<const node_number> parts) const {
  const auto sums = sums_of(parts, [&](node_number p) { return serial(p); });
  return loop_between(parts, sums);
}

// Recursion as deep as the logarithm of the number of parts.
picoseconds spans::loop_between(std::span<const node_number> parts, std::span<const picoseconds> sums) const {
  if (parts.empty()) return 0;
  if (parts.size() == 1) {
    const node& only = program_.at(parts[0]);
    return only.what == part::work ? halve(only).span : whole(parts[0]);
  }
  const picoseconds in_series = sums[parts.size()] - sums[0];
  if (in_series <= fork_) return in_series;
  const std::size_t middle = parts.size() / 2;
  const picoseconds halves = std::max(loop_between(parts.first(middle), sums),
                                      loop_between(parts.subspan(middle), sums.subspan(middle)));
  return std::min(in_series, fork_ + halves);
}

// The critical path -------------------------------------------------------------------------------------------

critical_path spans::path() const {
  critical_path found{std::vector<double>(program_.sites()), std::vector<double>(program_.sites())};
  if (program_.root() == no_node) return found;
  std::vector<weights> all(program_.size());
  add(program_.root(), 1, all);
  for (node_number n = program_.root() + 1; n-- > 0;)
    if (all[n].own > 0 || all[n].children > 0) walk(n, all[n], all, found);
  return found;
}

void spans::add(node_number n, double w, std::vector<weights>& all) const {
  (ends_[n].children > ends_[n].own ? all[n].children : all[n].own) += w;
}

void spans::walk(node_number number, const weights& w, std::vector<weights>& all,
                 critical_path& found) const {
  const node& n = program_.at(number);
  const auto cost = static_cast<double>(fork_);
  switch (n.what) {
    case part::work: found.strands[n.site] += w.own * static_cast<double>(time(n)); break;
    case part::splice:
    case part::series: walk_series(n, w, all); break;
    case part::fork: {
      const auto children = program_.children(n);
      found.forks[n.site] += w.own * cost;
      add(whole(children[0]) >= whole(children[1]) ? children[0] : children[1], w.own, all);
      break;
    }
    case part::loop: walk_loop(n, w.own, all, found); break;
    case part::spawn:
      found.forks[n.site] += w.children * cost;
      add(program_.children(n)[0], w.children, all);
      break;
    case part::wait: break;
    case part::graph: walk_graph(n, w.own, all, found); break;
  }
}

// As series(), with the way to each of both ends: a list of children, from the last one.
void spans::walk_series(const node& n, const weights& w, std::vector<weights>& all) const {
  struct link {
    std::size_t before;
    node_number child;
    bool its_children;
  };
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<link> links;
  ends now;
  std::size_t own = none;
  std::size_t children = none;
  for (const node_number c : program_.children(n)) {
    if (program_.at(c).what == part::wait) {
      if (now.children > now.own) {
        now.own = now.children;
        own = children;
      }
      now.children = 0;
      continue;
    }
    if (ends_[c].children > 0 && now.own + ends_[c].children > now.children) {
      now.children = now.own + ends_[c].children;
      children = links.size();
      links.push_back({own, c, true});
    }
    if (ends_[c].own > 0) {
      now.own += ends_[c].own;
      links.push_back({own, c, false});
      own = links.size() - 1;
    }
  }
  for (std::size_t l = w.own > 0 ? own : none; l != none; l = links[l].before)
    (links[l].its_children ? all[links[l].child].children : all[links[l].child].own) += w.own;
  for (std::size_t l = w.children > 0 ? children : none; l != none; l = links[l].before)
    (links[l].its_children ? all[links[l].child].children : all[links[l].child].own) += w.children;
}

void spans::walk_loop(const node& n, double w, std::vector<weights>& all, critical_path& found) const {
  std::span<const node_number> parts = program_.children(n);
  const auto all_sums = sums_of(parts, [&](node_number p) { return serial(p); });
  std::span<const picoseconds> sums = all_sums;
  const auto fork = [&](unsigned times) {
    found.forks[n.site] += w * static_cast<double>(times) * static_cast<double>(fork_);
  };
  while (parts.size() > 1) {
    const picoseconds in_series = sums[parts.size()] - sums[0];
    if (loop_between(parts, sums) == in_series) {
      for (const node_number p : parts)
        program_.at(p).what == part::work ? void(all[p].own += w) : add(p, w, all);
      return;
    }
    const std::size_t middle = parts.size() / 2;
    fork(1);
    const auto second = sums.subspan(middle);
    if (loop_between(parts.first(middle), sums) >= loop_between(parts.subspan(middle), second)) {
      parts = parts.first(middle);
    } else {
      parts = parts.subspan(middle);
      sums = second;
    }
  }
  if (parts.empty()) return;
  const node& only = program_.at(parts[0]);
  if (only.what != part::work) return add(parts[0], w, all);
  const halved by = halve(only);
  fork(by.cuts);
  all[parts[0]].own += w * by.share;
}

void spans::walk_graph(const node& n, double w, std::vector<weights>& all, critical_path& found) const {
  std::vector<picoseconds> finish;
  std::vector<std::uint32_t> order;
  const picoseconds last = graph(n, finish, order);
  const std::span<const node_number> tasks = program_.children(n);
  // Of each task, the one before it that ended last: that is, when the task began.
  std::vector<std::uint32_t> before(tasks.size());
  std::vector<bool> has_before(tasks.size());
  for (const program::edge& e : program_.edges(n)) {
    if (finish[e.before] != finish[e.after] - fork_ - whole(tasks[e.after])) continue;
    before[e.after] = e.before;
    has_before[e.after] = true;
  }
  std::size_t at = static_cast<std::size_t>(std::ranges::find(finish, last) - finish.begin());
  if (at == finish.size()) return;
  for (;;) {
    add(tasks[at], w, all);
    found.forks[n.site] += w * static_cast<double>(fork_);
    if (!has_before[at]) return;
    at = before[at];
  }
}

}  // namespace sennit::sim
