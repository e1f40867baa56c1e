// SPDX-License-Identifier: Apache-2.0
#include "programs/phases.hpp"

#include "engine/names.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace sennit::sim {

namespace {

// A fork of a phase's tree: its right branch.
struct right_branch {
  std::uint64_t name;
  std::size_t first;  // block
  std::size_t last;
  unsigned worker;  // whose part begins there, or lies there
  unsigned level;
  bool between_parts;
};

struct range {
  std::size_t first;
  std::size_t last;
  unsigned worker;  // the first whose part lies there
  unsigned last_worker;
};

std::size_t part_begin(std::size_t blocks, unsigned worker, unsigned workers) {
  return blocks * worker / workers;
}

// Where the range is cut: into two of whole parts, or in the middle of a part. False: it is a leaf.
bool cut(const range& whole, std::size_t blocks, unsigned workers, range& left, range& right) {
  left = right = whole;
  while (left.last_worker - left.worker > 1) {
    const unsigned middle = (left.worker + left.last_worker) / 2;
    const std::size_t at = part_begin(blocks, middle, workers);
    right = left;
    if (at <= left.first) {
      left.worker = middle;
      continue;
    }
    if (at >= left.last) {
      left.last_worker = middle;
      continue;
    }
    left.last = right.first = at;
    left.last_worker = right.worker = middle;
    return true;
  }
  right = left;
  if (left.last - left.first <= 1) return false;
  left.last = right.first = left.first + (left.last - left.first) / 2;
  return true;
}

template <class Visit>
void walk(const range& here, std::size_t blocks, unsigned workers, std::uint64_t name, unsigned level,
          const Visit& visit) {
  range left;
  range right;
  if (!cut(here, blocks, workers, left, right)) return;
  walk(left, blocks, workers, name_of_branch(name, 0), level + 1, visit);
  visit(right_branch{.name = name_of_branch(name, 1),
                     .first = right.first,
                     .last = right.last,
                     .worker = right.worker,
                     .level = level,
                     .between_parts = right.worker != left.worker});
  walk(right, blocks, workers, name_of_branch(name, 1), level + 1, visit);
}

// The program's root is a series of children that are waited for, each a phase: so a phase is a branch, too, and a schedule can
// say who begins it. Whoever ends a phase goes on with the series.
std::uint64_t root_of(std::size_t which) { return name_of_branch(0, 2 * which); }

constexpr std::uint32_t who_begins = 0;

// From left to right.
// Those of a level are side by side.
std::pair<unsigned, std::size_t> outermost_first(const right_branch& b) { return {b.level, b.first}; }

std::vector<right_branch> branches_of(const phase_trees& trees, std::size_t which) {
  std::vector<right_branch> all;
  const std::size_t blocks = trees.blocks[which];
  walk({0, blocks, 0, trees.workers}, blocks, trees.workers, root_of(which), 0,
       [&](const right_branch& b) { all.push_back(b); });
  return all;
}

node_number tree_of(program& p, std::span<const node_number> leaves, const range& here, unsigned workers) {
  range left;
  range right;
  if (!cut(here, leaves.size(), workers, left, right)) return leaves[here.first];
  const node_number l = tree_of(p, leaves, left, workers);
  const node_number r = tree_of(p, leaves, right, workers);
  return p.fork(l, r);
}

}  // namespace

phase_trees trees_of(const phased_program& what, unsigned steps, unsigned workers) {
  phase_trees trees{.blocks = {}, .workers = workers};
  for (const phase& each : what.initialize) trees.blocks.push_back(each.size());
  for (unsigned s = 0; s < steps * (what.spliced ? 1 : what.times); ++s)
    for (const phase& each : what.step) {
      trees.blocks.push_back(each.size());
      if (what.spliced) break;
    }
  return trees;
}

program phases_as(const phased_program& what, unsigned steps, unsigned workers, form how) {
  program p;
  std::vector<node_number> all;
  const auto leaf_of = [&](const block_work& block) {
    if (block.slices.empty()) return p.work(block.time, block.touched);
    std::vector<node_number> slices;
    std::uint32_t first = 0;
    for (const std::uint32_t end : block.slices) {
      slices.push_back(
          p.work(block.time / block.slices.size(), std::span(block.touched).subspan(first, end - first)));
      first = end;
    }
    return p.series(slices);
  };
  const auto made = [&](const phase& each) {
    std::vector<node_number> leaves;
    for (const block_work& block : each) leaves.push_back(leaf_of(block));
    if (how == form::forks) return tree_of(p, leaves, {0, leaves.size(), 0, workers}, workers);
    for (node_number& leaf : leaves) leaf = p.each(1, leaf);
    return p.loop(leaves);
  };
  const auto add = [&](node_number each) {
    all.push_back(p.spawn(each));
    all.push_back(p.wait());
  };
  for (const phase& each : what.initialize) add(made(each));
  std::vector<node_number> once;
  if (steps > 0)
    for (const phase& each : what.step) once.push_back(made(each));
  std::vector<node_number> step;
  for (unsigned i = 0; i < what.times; ++i) step.insert(step.end(), once.begin(), once.end());
  if (what.spliced && steps > 0) step = {p.splice(step)};
  for (unsigned s = 0; s < steps; ++s)
    for (const node_number each : step) add(each);
  p.set_root(p.series(all));
  return p;
}

steal_schedule designed(const phase_trees& trees, std::span<const std::size_t> of) {
  steal_schedule all{.workers = trees.workers, .steals = {}};
  for (const std::size_t which : of) {
    all.steals.push_back({.branch = root_of(which), .worker = who_begins});
    for (const right_branch& b : branches_of(trees, which))
      if (b.between_parts) all.steals.push_back({.branch = b.name, .worker = b.worker});
  }
  return all;
}

steal_schedule begun(const phase_trees& trees) {
  steal_schedule all{.workers = trees.workers, .steals = {}};
  for (std::size_t which = 0; which < trees.blocks.size(); ++which)
    all.steals.push_back({.branch = root_of(which), .worker = who_begins});
  return all;
}

steal_schedule copied(const steal_schedule& taken, const phase_trees& trees,
                      std::span<const std::size_t> source) {
  // Of each phase that is a source, the places in its tree that were stolen, in their order.
  std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>> places;
  std::vector<bool> needed(trees.blocks.size());
  for (const std::size_t from : source) needed[from] = true;
  for (std::size_t which = 0; which < needed.size(); ++which) {
    if (!needed[which]) continue;
    const std::vector<right_branch> all = branches_of(trees, which);
    for (std::size_t i = 0; i < all.size(); ++i) places[all[i].name] = {which, i};
  }
  std::vector<std::vector<std::pair<std::size_t, std::uint32_t>>> stolen(trees.blocks.size());
  for (const recorded_steal& s : taken.steals) {
    const auto found = places.find(s.branch);
    if (found != places.end()) stolen[found->second.first].emplace_back(found->second.second, s.worker);
  }
  steal_schedule all{.workers = taken.workers, .steals = {}};
  for (std::size_t which = 0; which < source.size(); ++which) {
    const std::vector<right_branch> here = branches_of(trees, which);
    all.steals.push_back({.branch = root_of(which), .worker = who_begins});
    for (const auto& [place, worker] : stolen[source[which]])
      all.steals.push_back({.branch = here[place].name, .worker = worker});
  }
  return all;
}

steal_schedule pruned(const steal_schedule& taken, const phase_trees& trees, double keep) {
  std::unordered_map<std::uint64_t, std::uint32_t> worker_of;
  for (const recorded_steal& s : taken.steals) worker_of[s.branch] = s.worker;
  std::unordered_map<std::uint64_t, bool> stays;
  for (std::size_t which = 0; which < trees.blocks.size(); ++which) {
    std::vector<right_branch> here = branches_of(trees, which);
    std::erase_if(here, [&](const right_branch& b) { return !worker_of.contains(b.name); });
    std::ranges::sort(here, {}, outermost_first);
    here.resize(static_cast<std::size_t>(keep * static_cast<double>(here.size())));
    for (const right_branch& b : here) stays[b.name] = true;
    stays[root_of(which)] = true;
  }
  steal_schedule all{.workers = taken.workers, .steals = {}};
  for (const recorded_steal& s : taken.steals)
    if (stays.contains(s.branch)) all.steals.push_back(s);
  return all;
}

std::vector<std::uint64_t> grains(const steal_schedule& taken, const phase_trees& trees, std::size_t which) {
  std::unordered_map<std::uint64_t, bool> stolen;
  for (const recorded_steal& s : taken.steals) stolen[s.branch] = true;
  std::vector<right_branch> ranges;
  for (const right_branch& b : branches_of(trees, which))
    if (stolen.contains(b.name)) ranges.push_back(b);
  // From the outermost ranges in: each block belongs to the last that has it.
  std::ranges::sort(ranges, {}, outermost_first);
  std::vector<std::size_t> owner(trees.blocks[which]);
  for (std::size_t i = 0; i < ranges.size(); ++i)
    std::fill(owner.begin() + static_cast<std::ptrdiff_t>(ranges[i].first),
              owner.begin() + static_cast<std::ptrdiff_t>(ranges[i].last), i + 1);
  std::vector<std::uint64_t> sizes(ranges.size() + 1);
  for (const std::size_t i : owner) ++sizes[i];
  return sizes;
}

}  // namespace sennit::sim
