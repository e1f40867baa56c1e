// SPDX-License-Identifier: Apache-2.0
// parallel_flatten: the elements of ranges, one range after the other.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/pack_forms.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit {
namespace detail {

template <class R>
concept range_of_ranges =
    countable_range<R> && std::ranges::forward_range<std::ranges::range_reference_t<R>> &&
    std::ranges::sized_range<std::ranges::range_reference_t<R>>;
template <class R>
using inner_reference = std::ranges::range_reference_t<std::ranges::range_reference_t<R>>;
template <class R>
using inner_value = std::ranges::range_value_t<std::ranges::range_reference_t<R>>;

// Copies ranges, each to its offset. A long range is copied by a loop of its own.
template <class Engine, class It, class Out>
void flatten_to(const elements<It>& ranges, const std::vector<position>& offsets, const elements<Out>& to,
                const loop_options& how) {
  // Below this a loop costs as much as the copies.
  constexpr position worth_a_loop = 4096;
  Engine::for_positions(
      ranges.size,
      [&](position from, position to_range, auto gate) {
        position r = from;
        do {
          auto&& range = *ranges.at(r);
          const position offset = offsets[static_cast<std::size_t>(r)];
          const auto size = static_cast<position>(std::ranges::size(range));
          if constexpr (std::ranges::random_access_range<decltype(range)>) {
            if (size >= worth_a_loop) {
              const elements inner{std::ranges::begin(range), size};
              Engine::for_positions(size,
                                    [&](position first, position last) {
                                      std::ranges::copy(inner.at(first), inner.at(last),
                                                        to.at(offset + first));
                                    },
                                    {});
              continue;
            }
          }
          std::ranges::copy(range, to.at(offset));
        } while (goes_on(++r, from, to_range, gate));
        return r;
      },
      how);
}

// Returns the sum of all sizes.
template <class Engine, class It>
position offsets_of(const elements<It>& ranges, std::vector<position>& offsets, const loop_options& how) {
  Engine::for_positions(
      ranges.size,
      [&](position from, position to) {
        for (; from != to; ++from)
          offsets[static_cast<std::size_t>(from)] =
              static_cast<position>(std::ranges::size(*ranges.at(from)));
      },
      how);
  position sum = 0;
  for (position& offset : offsets) offset = std::exchange(sum, sum + offset);
  return sum;
}

// The forms of parallel_flatten, listed below.
template <class Engine>
struct flatten_calls {
  template <range_of_ranges R>
  std::vector<inner_value<R>> operator()(R&& ranges, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, name);
    const auto all = sequence_of(ranges);
    std::vector<position> offsets(static_cast<std::size_t>(all.size));
    const position size = offsets_of<Engine>(all, offsets, how);
    std::vector<inner_value<R>> result;
    if constexpr (std::default_initializable<inner_value<R>> &&
                  destination<std::vector<inner_value<R>>&, inner_reference<R>>) {
      result.resize(static_cast<std::size_t>(size));
      flatten_to<Engine>(all, offsets, elements{result.begin(), size}, how);
    } else {
      result.reserve(static_cast<std::size_t>(size));
      for (auto&& range : ranges) {
        for (auto&& element : range) result.emplace_back(std::forward<decltype(element)>(element));
      }
    }
    return result;
  }
  template <range_of_ranges R, class Out>
    requires(!option<Out>) && destination<Out, inner_reference<R>>
  destination_end<Out> operator()(R&& ranges, Out&& out, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, name);
    const auto all = sequence_of(ranges);
    std::vector<position> offsets(static_cast<std::size_t>(all.size));
    const position size = offsets_of<Engine>(all, offsets, how);
    const elements<typename destination_of<Out>::iterator> to{begin_of(out, size, name), size};
    flatten_to<Engine>(all, offsets, to, how);
    return to.at(size);
  }

  template <class... A>
  static consteval void refuse() {
    if constexpr (!range_of_ranges<argument<0, A...>>) {
      static_assert(
          never<A...>,
          "parallel_flatten: the first argument is no random-access range of ranges with a size; give a "
          "std::vector of vectors, strings, arrays or spans");
    } else if constexpr (require_destination<1, inner_reference<argument<0, A...>>, A...>()) {
      refuse_the_rest<A...>();
    }
  }

 private:
  static constexpr const char* name = "parallel_flatten";
};

}  // namespace detail

// Copies the elements of all ranges in a range, in order, into a std::vector, or to a destination. Returns the
// vector, or the end of the copies.
//
//   parallel_flatten(ranges, how = {})       a random-access, sized range of forward ranges with a size
//   parallel_flatten(ranges, out, how = {})  `out` is an iterator with enough room, or a range
//
// The destination must not overlap the ranges. Throws what a copy threw, std::bad_alloc,
// std::invalid_argument before anything is copied if `out` is a range with too few elements, and
// sennit::cancelled in a cancelled region. Thread-safety: any thread may call it. Cost: the size of each range is
// asked for twice, and each element is copied once; long ranges are split. Elements that have no default value are
// copied into the vector by one strand. Memory: a number for each range.
//
// Example:
//   #include <string>
//   #include <vector>
//
//   std::vector<int> all_scores(const std::vector<std::vector<int>>& games) {
//     return sennit::parallel_flatten(games);
//   }
inline constexpr detail::algorithm<detail::flatten_calls<detail::in_parallel>> parallel_flatten{};

}  // namespace sennit
