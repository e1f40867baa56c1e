// SPDX-License-Identifier: Apache-2.0
#include "schedule/coarsening.hpp"

#include "schedule/timeline.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sennit::detail {
namespace {

// What each worker has to do, in nanoseconds; in a tree without times, in steals.
using load = std::vector<std::uint64_t>;

load loads_without_times(const steal_tree& tree, const std::vector<bool>& stays) {
  load result(tree.roles);
  std::size_t number = 0;
  walk(tree.root, [&](const visit& at) {
    if (at.node.taken && stays[number++]) ++result[at.node.begun.role];
  });
  return result;
}

// A strand whose steal does not stay runs where the strand runs that forked it.
load loads(const std::vector<strand>& all, std::uint32_t roles, const std::vector<bool>& stays) {
  load result(roles);
  std::vector<std::size_t> runs_in(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool own = i == 0 || stays[i - 1];
    runs_in[i] = own ? i : runs_in[all[i].parent];
    for (const stretch& s : all[i].stretches) {
      const std::uint32_t role = own ? s.by.role : all[runs_in[i]].stretches.front().by.role;
      result[role] += s.when.end - s.when.begin;
    }
  }
  return result;
}

bool nearly_as_busy(const load& now, const load& whole) {
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (now[i] < whole[i] - whole[i] / 4 || (now[i] == 0 && whole[i] != 0)) return false;
  }
  return true;
}

}  // namespace

std::size_t steals_that_keep_busy(const steal_tree& tree, std::size_t least) {
  const std::size_t all = steals(tree);
  const std::vector<strand> parts = strands(tree);
  const auto loads_of = [&](std::size_t kept) {
    const std::vector<bool> stays = outermost(tree, kept);
    return parts.empty() ? loads_without_times(tree, stays) : loads(parts, tree.roles, stays);
  };
  load whole = loads_of(all);
  // A steal is enough.
  if (parts.empty())
    std::ranges::transform(whole, whole.begin(),
                           [](std::uint64_t n) { return std::min<std::uint64_t>(n, 1); });
  for (std::size_t kept = least; kept < all; kept += std::max<std::size_t>(1, kept / 8)) {
    if (nearly_as_busy(loads_of(kept), whole)) return kept;
  }
  return all;
}

}  // namespace sennit::detail
