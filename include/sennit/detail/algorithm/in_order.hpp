// SPDX-License-Identifier: Apache-2.0
// Whether elements need no sort.
#pragma once

#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>

namespace sennit::detail {

// Whether the elements are sorted already, or have been reversed to that. Precondition: n > 1.
template <class Engine, class It, class Less>
bool is_in_order(It first, std::size_t n, const Less& less) {
  constexpr std::size_t block = 64;
  const auto at = [&](std::size_t i) { return first + static_cast<std::iter_difference_t<It>>(i); };
  const bool descends = less(*at(1), *at(0));
  std::atomic<bool> none{false};
  // Each block is looked at until it is out of order, whatever the others are, so that the comparisons are the same in
  // every run.
  const std::size_t pairs = n - 1;
  Engine::for_positions((pairs + block - 1) / block,
                        [&](position from, position to) {
                          for (auto b = static_cast<std::size_t>(from); b != to; ++b) {
                            It i = at(b * block);
                            const It end = at(std::min(pairs, (b + 1) * block));
                            // Equal elements do not descend, as they keep their order.
                            while (i != end && less(*(i + 1), *i) == descends) ++i;
                            if (i != end) none.store(true, std::memory_order_relaxed);
                          }
                        },
                        {});
  if (none.load(std::memory_order_relaxed)) return false;
  if (descends) std::ranges::reverse(first, at(n));
  return true;
}

}  // namespace sennit::detail
