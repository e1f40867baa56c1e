// The least few elements of many.
#pragma once

#include <sennit/detail/algorithm/filter.hpp>
#include <sennit/detail/algorithm/projected_relation.hpp>
#include <sennit/detail/algorithm/sample.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// An element of a sample is a limit: one pass finds the places of those below it, which are few more than are wanted (Floyd
// and Rivest, "Expected time bounds for selection", 1975). Comparisons come before moves.
template <class Engine, class It, class Comp, class Proj>
class few_least {
 public:
  few_least(It range, std::size_t n, Comp& comp, Proj& proj)
      : range_(range), size_(n), comp_(comp), proj_(proj) {}

  static constexpr bool are_few(std::size_t wanted, std::size_t n) noexcept {
    return n >= 1024 && wanted <= n / 16;
  }

  // The places of the least elements, in ascending order, and at least `wanted`; of equal ones the first. None if the sample
  // misled. Precondition: are_few(wanted, n).
  std::vector<std::size_t> places(std::size_t wanted) const {
    const It limit = choose_limit(wanted);
    std::vector<std::size_t> found = places_below(limit);
    if (found.size() < wanted) add_equal(found, wanted, limit);
    if (found.size() < wanted) found.clear();
    return found;
  }

  // Returns how many are at the front then: the least ones, and at least `wanted`; or 0 if the sample misled, and nothing has
  // been moved. Precondition: are_few(wanted, n).
  std::size_t bring_to_front(std::size_t wanted) const {
    const std::vector<std::size_t> found = places(wanted);
    exchange(found);
    return found.size();
  }

 private:
  using T = std::iter_value_t<It>;
  static constexpr bool copied = copied_from_sample<T>;
  // What is searched at once for elements equal to the limit: as much as before, within bounds for the memory of what is found.
  static constexpr std::size_t least_window = 4096;
  static constexpr std::size_t most_window = std::size_t{1} << 20;

  // Whether the element at a place is below the limit.
  class below {
   public:
    below(It range, It limit, Comp& comp, Proj& proj)
        : range_(range), limit_(kept(limit)), less_{comp, proj, proj} {}
    template <class Place>
    SENNIT_INLINE bool operator()(const Place& place) const {
      return less_(range_[static_cast<std::iter_difference_t<It>>(*place)], limit());
    }

   private:
    static decltype(auto) kept(const It& limit) {
      if constexpr (copied) {
        return *limit;
      } else {
        return (limit);
      }
    }
    SENNIT_INLINE decltype(auto) limit() const {
      if constexpr (copied) {
        return (limit_);
      } else {
        return *limit_;
      }
    }

    It range_;
    // Comparisons and projections may take what is not constant.
    mutable std::conditional_t<copied, T, It> limit_;
    held_relation<Comp, Proj> less_;
  };

  It at(std::size_t i) const { return range_ + static_cast<std::iter_difference_t<It>>(i); }

  // An element of the sample that has most probably as many below it as are wanted: four standard deviations.
  It choose_limit(std::size_t wanted) const {
    const std::size_t size = std::clamp<std::size_t>(size_ / 32, 32, 4096);
    std::vector<std::size_t> sample(size);
    sample_places next(size_, size);
    for (std::size_t& place : sample) place = next();
    const double expected =
        static_cast<double>(wanted) / static_cast<double>(size_) * static_cast<double>(size);
    const auto rank = static_cast<std::size_t>(expected + 4 * std::sqrt(expected) + 1);
    const auto chosen = sample.begin() + static_cast<std::ptrdiff_t>(std::min(rank, size - 1));
    const auto less = related_by(comp_, proj_);
    // Which stays within its bounds whatever the comparison answers.
    std::partial_sort(sample.begin(), chosen + 1, sample.end(),
                      [&](std::size_t a, std::size_t b) { return less(*at(a), *at(b)); });
    return at(*chosen);
  }

  std::vector<std::size_t> places_below(const It& limit) const {
    const auto all = std::views::iota(std::size_t{0}, size_);
    using work = filtered_elements<std::ranges::iterator_t<decltype(all)>, below>;
    return filter<Engine, work>(work{{all.begin(), size_}, below(range_, limit, comp_, proj_)}, size_, {})
        .run();
  }

  // If too few are below the limit, many are mostly equal to it, and the first of these are near.
  void add_equal(std::vector<std::size_t>& places, std::size_t wanted, const It& limit) const {
    const auto less = related_by(comp_, proj_);
    const auto is_equal = [&](const auto& place) {
      return !less(*at(*place), *limit) && !less(*limit, *at(*place));
    };
    const auto all = std::views::iota(std::size_t{0}, size_);
    using work =
        filtered_elements<std::ranges::iterator_t<decltype(all)>, std::remove_const_t<decltype(is_equal)>>;
    const std::size_t missing = wanted - places.size();
    std::vector<std::size_t> equal;
    for (std::size_t begin = 0, length = least_window; begin != size_ && equal.size() != missing;
         begin += length) {
      length = std::min(std::clamp(begin, least_window, most_window), size_ - begin);
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto found = filter<Engine, work>(work{{first, length}, is_equal}, length, {}).run();
      const std::size_t taken = std::min(found.size(), missing - equal.size());
      equal.insert(equal.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(taken));
    }
    std::vector<std::size_t> merged(places.size() + equal.size());
    std::ranges::merge(places, equal, merged.begin());
    places = std::move(merged);
  }

  // Exchanges the elements at the places behind the front for those that are to leave it.
  void exchange(const std::vector<std::size_t>& places) const {
    std::vector<std::size_t> leaving;
    auto next = places.begin();
    for (std::size_t i = 0; i != places.size(); ++i) {
      if (*next == i) {
        ++next;
      } else {
        leaving.push_back(i);
      }
    }
    Engine::for_positions(leaving.size(),
                          [&](position from, position to) {
                            for (auto i = static_cast<std::size_t>(from); i != to; ++i)
                              std::ranges::iter_swap(at(leaving[i]),
                                                     at(next[static_cast<std::ptrdiff_t>(i)]));
                          },
                          {});
  }

  It range_;
  std::size_t size_;
  Comp& comp_;
  Proj& proj_;
};

}  // namespace sennit::detail
