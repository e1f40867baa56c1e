// SPDX-License-Identifier: Apache-2.0
#include "scale/scale.hpp"

#include "scale/spans.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

namespace sennit::sim {
namespace {

std::vector<picoseconds> works_of(const program& p) {
  std::vector<picoseconds> works(p.size());
  for (node_number n = 0; n < p.size(); ++n) {
    const node& at = p.at(n);
    works[n] = at.time;
    if (at.what == part::work) continue;
    works[n] = 0;
    for (const node_number c : p.children(at)) works[n] += works[c];
  }
  return works;
}

// How often the program runs each node.
std::vector<std::uint64_t> counts_of(const program& p) {
  std::vector<std::uint64_t> counts(p.size());
  if (p.root() == no_node) return counts;
  counts[p.root()] = 1;
  for (node_number n = p.root() + 1; n-- > 0;) {
    if (counts[n] == 0 || p.at(n).what == part::work) continue;
    for (const node_number c : p.children(p.at(n))) counts[c] += counts[n];
  }
  return counts;
}

bool is_construct(part what) { return what != part::work && what != part::wait; }

class counter {
 public:
  counter(const program& p, const spans& of)
      : program_(p), spans_(of), works_(works_of(p)), counts_(counts_of(p)) {
    sites_.resize(p.sites());
    for (std::uint32_t s = 0; s < p.sites(); ++s) sites_[s].site = s;
    for (node_number n = 0; n < p.size(); ++n)
      if (counts_[n] > 0) add(p.at(n), counts_[n]);
    add_outermost();
  }

  picoseconds work() const { return program_.root() == no_node ? 0 : works_[program_.root()]; }
  std::vector<construct> sites() && { return std::move(sites_); }

 private:
  // A branch has its fork's site.
  static int rank(part what) { return what == part::series ? 1 : is_construct(what) ? 2 : 0; }

  void add(const node& n, std::uint64_t count) {
    construct& at = sites_[n.site];
    if (n.what == part::work) at.strands += n.time * count;
    if (rank(n.what) > rank(at.what)) {
      at.what = n.what;
      at.count = 0;
    }
    if (n.what == at.what && is_construct(n.what)) at.count += count;
  }

  // A way through the tree, which may be as deep as the program has nodes. A node with several places is visited at the first.
  void add_outermost() {
    if (program_.root() == no_node) return;
    struct step {
      node_number node;
      std::uint32_t next;
    };
    std::vector<bool> seen(program_.size());
    std::vector<std::uint32_t> open(program_.sites());
    std::vector<step> way;
    const auto enter = [&](node_number n) {
      seen[n] = true;
      const node& at = program_.at(n);
      if (is_construct(at.what) && open[at.site]++ == 0) {
        sites_[at.site].all.work += works_[n] * counts_[n];
        sites_[at.site].all.span += spans_.whole(n) * counts_[n];
      }
      way.push_back({n, 0});
    };
    enter(program_.root());
    while (!way.empty()) {
      step& now = way.back();
      const node& at = program_.at(now.node);
      if (at.what != part::work && now.next < at.count) {
        const node_number child = program_.children(at)[now.next++];
        if (!seen[child]) enter(child);
        continue;
      }
      if (is_construct(at.what)) --open[at.site];
      way.pop_back();
    }
  }

  const program& program_;
  const spans& spans_;
  std::vector<picoseconds> works_;
  std::vector<std::uint64_t> counts_;
  std::vector<construct> sites_;
};

void ask(const program& p, scalability& s) {
  constexpr std::size_t most = 12;
  constexpr double least_share = 0.005;
  std::vector<change> changes(p.sites(), change::none);
  for (construct& c : std::span(s.constructs).first(std::min(most, s.constructs.size()))) {
    if (c.on_path < least_share * static_cast<double>(s.all.span)) return;
    const auto span_with = [&](change what) {
      changes[c.site] = what;
      const picoseconds span = spans(p, s.costs.fork, changes).span();
      changes[c.site] = change::none;
      return span;
    };
    c.twice_as_fast = {s.all.work - c.strands / 2, span_with(change::twice_as_fast)};
    c.parallel = {s.all.work, span_with(change::parallel)};
  }
}

}  // namespace

double scalability::most_speedup(double workers) const noexcept {
  return std::max(1.0, std::min(workers, all.parallelism()));
}

double scalability::least_speedup(double workers) const noexcept {
  // Measured by He, Leiserson and Leiserson; what a span costs a work-stealing scheduler.
  constexpr double span_coefficient = 1.7;
  const auto work = static_cast<double>(all.work);
  const double time =
      work / workers + span_coefficient * (1 - 1 / workers) * static_cast<double>(burdened_span);
  return time == 0 ? 1 : work / time;
}

scalability scale(const program& p, const fork_costs& costs) {
  scalability s;
  s.costs = costs;
  const spans plain(p, costs.fork);
  counter counted(p, plain);
  s.all = {counted.work(), plain.span()};
  s.constructs = std::move(counted).sites();
  const critical_path path = plain.path();
  const spans burdened(p, costs.burden);
  s.burdened_span = burdened.span();
  const critical_path burdened_path = burdened.path();
  for (construct& c : s.constructs) {
    c.on_path = path.strands[c.site];
    c.burden = burdened_path.forks[c.site];
  }
  std::erase_if(s.constructs, [](const construct& c) { return c.count == 0 && c.strands == 0; });
  std::ranges::sort(s.constructs, std::greater{},
                    [](const construct& c) { return std::tuple(c.on_path, c.strands, ~c.site); });
  ask(p, s);
  return s;
}

}  // namespace sennit::sim
