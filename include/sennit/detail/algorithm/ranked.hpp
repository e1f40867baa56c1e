// The positions of elements by rank, without moving any.
#pragma once

#include <sennit/detail/algorithm/projected_relation.hpp>
#include <sennit/detail/algorithm/sample.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace sennit::detail {

// Of equal elements the first one comes first. So no two elements have the same rank, and the rank of an element is the
// position that a stable sort gives it.
template <class Engine, class It, class Comp, class Proj>
class ranked_elements {
 public:
  ranked_elements(const elements<It>& all, Comp& comp, Proj& proj)
      : all_(all), less_(related_by(comp, proj)) {}

  // `at` has the elements of some neighboring ranks, the first of which is `below`, in the order of the sequence.
  struct window {
    position below = 0;
    std::vector<position> at;
  };

  // A window with the ranks [from, to), and with no more than `enough` elements if samples tell them apart. Each
  // narrowing looks at all elements of the last window, and keeps those between two elements of a sample (Floyd and
  // Rivest, "Expected Time Bounds for Selection", 1975).
  window around(position from, position to, position enough) const {
    window found;
    if (all_.size > enough) {
      found = narrowed(all_.size, [](position i) { return i; }, from, to);
    } else {
      found.at.resize(static_cast<std::size_t>(all_.size));
      std::iota(found.at.begin(), found.at.end(), position{0});
    }
    while (found.at.size() > enough) {
      const auto at = [&](position i) { return found.at[static_cast<std::size_t>(i)]; };
      window next = narrowed(found.at.size(), at, from - found.below, to - found.below);
      if (next.at.size() == found.at.size()) break;
      next.below += found.below;
      found = std::move(next);
    }
    return found;
  }

  // A total order of positions.
  SENNIT_INLINE bool operator()(position i, position j) const {
    return i < j ? !less_(*all_.at(j), *all_.at(i)) : less_(*all_.at(i), *all_.at(j));
  }

 private:
  static constexpr position none = ~position{0};
  static constexpr position block = position{1} << 14;

  // Of the n elements at(0), at(1), ...
  template <class At>
  window narrowed(position n, const At& at, position from, position to) const {
    const auto size =
        std::min<position>(n / 4 + 1, static_cast<position>(2 * std::sqrt(static_cast<double>(n))));
    std::vector<position> sample(static_cast<std::size_t>(size));
    sample_places next(static_cast<std::size_t>(n), static_cast<std::size_t>(size));
    for (position& i : sample) i = at(next());
    std::sort(sample.begin(), sample.end(), *this);
    // A bound that four standard deviations lie beside the rank misses it once in some ten thousand times.
    const auto bound = [&](position rank, double deviations) {
      const double share = static_cast<double>(rank) / static_cast<double>(n);
      const auto of_sample = static_cast<double>(size);
      const double place = of_sample * share + deviations * (std::sqrt(of_sample * share * (1 - share)) + 1);
      // Also if it is no number.
      return !(place >= 0 && place < of_sample) ? none : sample[static_cast<std::size_t>(place)];
    };
    position low = bound(from, -4);
    position high = bound(to, 4);
    window found = between(n, at, low, high);
    if (from < found.below || to > found.below + found.at.size()) {
      if (from < found.below) low = none;
      if (to > found.below + found.at.size()) high = none;
      found = between(n, at, low, high);
      // A comparison that is no order may answer otherwise now.
      if (from < found.below || to > found.below + found.at.size()) found = between(n, at, none, none);
    }
    return found;
  }

  template <class At>
  window between(position n, const At& at, position low, position high) const {
    std::vector<window> parts(static_cast<std::size_t>((n + block - 1) / block));
    Engine::for_positions(parts.size(),
                          [&](position first, position last) {
                            for (; first != last; ++first)
                              parts[static_cast<std::size_t>(first)] =
                                  between(first * block, std::min(n, (first + 1) * block), at, low, high);
                          },
                          {});
    window all;
    std::size_t size = 0;
    for (const window& part : parts) size += part.at.size();
    all.at.reserve(size);
    for (const window& part : parts) {
      all.below += part.below;
      all.at.insert(all.at.end(), part.at.begin(), part.at.end());
    }
    return all;
  }

  template <class At>
  window between(position from, position to, const At& at, position low, position high) const {
    const ranked_elements before = *this;
    window part;
    // No branch depends on which side of the window an element is.
    if (low == none) {
      for (; from != to; ++from) {
        const position i = at(from);
        if (high == none || !before(high, i)) part.at.push_back(i);
      }
    } else {
      for (; from != to; ++from) {
        const position i = at(from);
        const bool below = before(i, low);
        const bool above = high != none && before(high, i);
        part.below += below;
        if (!(below | above)) part.at.push_back(i);
      }
    }
    return part;
  }

  elements<It> all_;
  relation_by<Comp, Proj> less_;
};

}  // namespace sennit::detail
