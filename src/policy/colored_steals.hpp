// SPDX-License-Identifier: Apache-2.0
// How long a worker without work leaves work of other colors to their own workers. (In Maglalang, Krishnamoorthy and Agrawal,
// 2016, section III, "Colored steals", a thief looks a number of times for its own color before it takes any; in a graph
// without that color it waits for ever.)
#pragma once

#include <algorithm>
#include <cstdint>

namespace sennit::policy {

// The worker has run out of items of its own color, of which it had `own`. It leaves others' to them for as long as `patience` of
// its items took on average, which were `items` in so many nanoseconds. Without own ones, nothing is known of more to come: 0.
constexpr std::uint64_t ns_for_own_color(double patience, std::uint64_t own, std::uint64_t items,
                                         std::uint64_t took_ns) noexcept {
  if (own == 0) return 0;
  constexpr double longest = 1e18;
  const double wait =
      patience * static_cast<double>(took_ns) / static_cast<double>(std::max(items, std::uint64_t{1}));
  return static_cast<std::uint64_t>(std::min(wait, longest));
}

}  // namespace sennit::policy
