// SPDX-License-Identifier: Apache-2.0
#include "schedule/loop_parts.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/split.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sennit {
namespace {

std::vector<double> shares_of(const detail::steal_tree& tree, std::uint64_t at) {
  detail::loop_reader loops(tree.root);
  for (loops.skip_waits(); loops.at() < at && !loops.lost_at(loops.at()); loops.skip_waits())
    (void)loops.take(loops.at(), loops.size());
  std::vector<double> ran(tree.roles);
  if (loops.at() != at || loops.lost_at(at)) return {1};
  const std::vector<detail::part_of_loop> parts = loops.take(at, loops.size());
  std::uint64_t first = 0;
  for (const auto& [last, by] : parts) {
    // Parts are counted from the worker that began the loop.
    ran[(by + tree.roles - parts.front().by) % tree.roles] += static_cast<double>(last - first);
    first = last;
  }
  return ran;
}

}  // namespace

split::split(std::span<const double> weights) {
  const auto proper = [](double w) { return w >= 0 && std::isfinite(w); };
  double sum = 0;
  for (const double w : weights) {
    begins_.push_back(sum);
    sum += w;
  }
  if (!std::ranges::all_of(weights, proper) || !(sum > 0) || !std::isfinite(sum)) {
    detail::fail<std::invalid_argument>("sennit::split: the weights are not proportions; give at least one "
                                        "positive weight, and no negative one");
  }
  for (double& begin : begins_) begin /= sum;
}

split::split(const schedule& s, std::uint64_t at)
    : split(std::span<const double>(shares_of(*detail::schedule_access::tree(s), at))) {}

std::uint64_t split::begin_of(std::size_t part, std::uint64_t n) const noexcept {
  if (part >= begins_.size()) return n;
  return std::min(n, static_cast<std::uint64_t>(std::llround(begins_[part] * static_cast<double>(n))));
}

}  // namespace sennit
