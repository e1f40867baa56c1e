// SPDX-License-Identifier: Apache-2.0
// The positions of elements by rank, without moving any.
#pragma once

#include <sennit/detail/algorithm/filter.hpp>
#include <sennit/detail/algorithm/guarded.hpp>
#include <sennit/detail/algorithm/keeping.hpp>
#include <sennit/detail/algorithm/marks.hpp>
#include <sennit/detail/algorithm/packing.hpp>
#include <sennit/detail/algorithm/projected_relation.hpp>
#include <sennit/detail/algorithm/sample.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// Whether it is worth while to find the positions of the least elements first.
constexpr bool are_few(position wanted, position n) noexcept { return n >= 1024 && wanted <= n / 16; }

// Of equal elements the first one comes first. So no two elements have the same rank, and the rank of an element is the
// position that a stable sort gives it. Elements between two of a sample are found in one pass over all (Floyd and Rivest,
// "Expected Time Bounds for Selection", 1975).
template <class Engine, class It, class Comp, class Proj>
class ranked_elements {
 public:
  ranked_elements(const elements<It>& all, Comp& comp, Proj& proj) : all_(all), less_{comp, proj, proj} {}

  // `at` has the elements of some neighboring ranks, the first of which is `below`, in the order of the sequence.
  struct window {
    position below = 0;
    std::vector<position> at;
  };

  // A window with the ranks [from, to), and with no more than `enough` elements if samples tell them apart.
  window around(position from, position to, position enough) const {
    window found;
    if (all_.size > enough) {
      found = narrowed(every_position(), all_.size, from, to);
    } else {
      found.at = copied(every_position(), all_.size);
    }
    while (found.at.size() > enough) {
      window next = narrowed(found.at.begin(), found.at.size(), from - found.below, to - found.below);
      if (next.at.size() == found.at.size()) break;
      next.below += found.below;
      found = std::move(next);
    }
    return found;
  }

  // The positions of the least elements, at least `wanted`, in the order of the sequence; none if the sample misled.
  // Precondition: are_few(wanted, n).
  std::vector<position> least(position wanted) const {
    const bounds to = bounds_of(every_position(), all_.size, 0, wanted);
    if (to.high == none) return {};
    window found = between(every_position(), all_.size, {none, to.high});
    if (found.at.size() < wanted) found.at.clear();
    return std::move(found.at);
  }

  // A total order of positions.
  SENNIT_INLINE bool operator()(position i, position j) const {
    return i < j ? !less_(*all_.at(j), *all_.at(i)) : less_(*all_.at(i), *all_.at(j));
  }

 private:
  using T = std::iter_value_t<It>;
  static constexpr position none = ~position{0};

  // The positions of two elements, or none.
  struct bounds {
    position low;
    position high;
  };

  static auto every_position() { return std::ranges::begin(std::views::iota(position{0})); }

  // `Places`: iterators of positions, in ascending order.
  template <class Places>
  static std::vector<position> copied(Places places, position n) {
    std::vector<position> result(static_cast<std::size_t>(n));
    for (position& i : result) i = *places++;
    return result;
  }

  template <class Places>
  window narrowed(const Places& places, position n, position from, position to) const {
    bounds by = bounds_of(places, n, from, to);
    window found = between(places, n, by);
    if (from < found.below || to > found.below + found.at.size()) {
      if (from < found.below) by.low = none;
      if (to > found.below + found.at.size()) by.high = none;
      found = between(places, n, by);
      // A comparison that is no order may answer otherwise now.
      if (from < found.below || to > found.below + found.at.size()) found = between(places, n, {none, none});
    }
    return found;
  }

  template <class Places>
  bounds bounds_of(const Places& places, position n, position from, position to) const {
    const auto root = static_cast<position>(std::sqrt(static_cast<double>(n)));
    const position size = std::min(n / 4 + 1, std::max(2 * root, std::min<position>(n / 32, 4096)));
    std::vector<position> sample(static_cast<std::size_t>(size));
    sample_places next(static_cast<std::size_t>(n), static_cast<std::size_t>(size));
    for (position& i : sample) i = places[static_cast<std::ptrdiff_t>(next())];
    auto above = sample.begin();
    // A bound that four standard deviations lie beside the rank misses it once in some ten thousand times.
    const auto bound = [&](position rank, double side) {
      const double share = static_cast<double>(rank) / static_cast<double>(n);
      const auto of_sample = static_cast<double>(size);
      const double place = of_sample * share + side * (4 * std::sqrt(of_sample * share * (1 - share)) + 1);
      // Also if it is no number.
      if (!(place >= 0 && place < of_sample)) return none;
      const auto chosen = sample.begin() + static_cast<std::ptrdiff_t>(place);
      guarded_nth_element(above, chosen, sample.end(), *this);
      above = chosen;
      return *chosen;
    };
    const position low = bound(from, -1);
    return {low, bound(to, 1)};
  }

  template <class Places>
  window between(const Places& places, position n, const bounds& by) const {
    window found;
    if (by.low == none && by.high == none) {
      found.at = copied(places, n);
    } else {
      const narrowing<Places> work{*this, places, by};
      found.at = filter<Engine, narrowing<Places>>(work, n, {}).run();
      found.below = work.below.load(std::memory_order_relaxed);
    }
    return found;
  }

  // A copy of an element that many are compared with, or else its iterator. Comparisons and projections may take what is not
  // constant.
  using held_bound = std::conditional_t<copied_from_sample<T>, T, It>;
  static held_bound hold(const It& i) {
    if constexpr (copied_from_sample<T>) {
      return *i;
    } else {
      return i;
    }
  }
  SENNIT_INLINE static decltype(auto) element_of(held_bound& held) {
    if constexpr (copied_from_sample<T>) {
      return (held);
    } else {
      return *held;
    }
  }

  // For filter: the positions of elements within the bounds. Also counts the elements below these.
  template <class Places>
  struct narrowing {
    using value = position;
    static constexpr std::size_t element_bytes = sizeof(T);
    static constexpr bool assigns = true;

    marked_block mark(mark_word* words, position from, position to) const {
      const Places begin = places + static_cast<std::ptrdiff_t>(from);
      const Places end = places + static_cast<std::ptrdiff_t>(to);
      return {by.low == none ? mark_up_to(words, begin, end) : mark_between(words, begin, end)};
    }
    template <class Out>
    void transfer(const mark_word* words, position from, position to, Out out) const {
      transfer_marked<copied_elsewhere>(words, to - from, places + static_cast<std::ptrdiff_t>(from), out);
    }

    // Whether an equal element is below the bound depends on its place; nearly all blocks lie on one side of that.
    position mark_up_to(mark_word* words, const Places& begin, const Places& end) const {
      const ranked_elements before = all;
      held_bound held = hold(before.all_.at(by.high));
      if (*(end - 1) <= by.high)
        return set_marks(words, begin, end, [&](const Places& i) {
          return !before.less_(element_of(held), *before.all_.at(*i));
        });
      if (*begin > by.high)
        return set_marks(words, begin, end, [&](const Places& i) {
          return before.less_(*before.all_.at(*i), element_of(held));
        });
      return set_marks(words, begin, end, [&](const Places& i) { return !before(by.high, *i); });
    }
    position mark_between(mark_word* words, const Places& begin, const Places& end) const {
      const ranked_elements before = all;
      const bounds of = by;
      position below_block = 0;
      const position kept = set_marks(words, begin, end, [&](const Places& i) {
        const bool is_below = before(*i, of.low);
        const bool is_above = of.high != none && before(of.high, *i);
        below_block += is_below;
        return !(is_below | is_above);
      });
      below.fetch_add(below_block, std::memory_order_relaxed);
      return kept;
    }

    const ranked_elements& all;
    Places places;
    bounds by;
    mutable std::atomic<position> below{0};
  };

  elements<It> all_;
  held_relation<Comp, Proj> less_;
};

}  // namespace sennit::detail
