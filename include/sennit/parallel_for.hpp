// parallel_for: loops whose iterations may run in parallel.
#pragma once

#include <sennit/detail/loop.hpp>

#include <concepts>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <type_traits>

namespace sennit {

// Chunks of so many iterations.
constexpr loop_options grain(std::uint64_t iterations) noexcept { return {.grain = iterations}; }
// Equal contiguous parts, one a worker, that are not split any further.
inline constexpr loop_options static_partition{.fixed_parts = true};

namespace detail {

// Integers are counted in the type that both bounds convert to.
template <class First, class Last>
using index = std::common_type_t<First, Last>;

// A body is called for each iteration, or for each chunk with its bounds.
template <class F, class I>
concept iteration_body = std::invocable<F&, I>;
template <class F, class I>
concept chunk_body = !iteration_body<F, I> && std::invocable<F&, I, I>;
template <class F, class It>
concept element_body = std::invocable<F&, std::iter_reference_t<It>>;

template <class I, class F>
SENNIT_INLINE void for_indices(I first, position n, F& body, const loop_options& how) {
  using offset = std::make_unsigned_t<I>;
  for_positions(
      n,
      [&](position from, position to) {
        const I begin = static_cast<I>(static_cast<offset>(first) + static_cast<offset>(from));
        const I end = static_cast<I>(static_cast<offset>(first) + static_cast<offset>(to));
        if constexpr (iteration_body<F, I>) {
          for (I i = begin; i != end; ++i) body(i);
        } else {
          body(begin, end);
        }
      },
      how);
}

}  // namespace detail

// Calls body(i) for each integer i of [first, last), or, if the body takes two, body(from, to) for chunks [from, to) that
// cover it without overlap.
//   sennit::parallel_for(0, n, [&](long i) { y[i] += a * x[i]; });
template <std::integral First, std::integral Last, class F>
  requires detail::iteration_body<F, detail::index<First, Last>> ||
           detail::chunk_body<F, detail::index<First, Last>>
void parallel_for(First first, Last last, F&& body, const loop_options& how = {}) {
  using I = detail::index<First, Last>;
  const I begin = static_cast<I>(first);
  const I end = static_cast<I>(last);
  if (!(begin < end)) return;
  using offset = std::make_unsigned_t<I>;
  detail::for_indices(begin, static_cast<offset>(static_cast<offset>(end) - static_cast<offset>(begin)), body,
                      how);
}

// Calls body(*i) for each iterator i of [first, last), or body(from, to) for chunks of iterators.
template <std::random_access_iterator It, std::sized_sentinel_for<It> End, class F>
  requires detail::element_body<F, It> || std::invocable<F&, It, It>
void parallel_for(It first, End last, F&& body, const loop_options& how = {}) {
  const auto n = last - first;
  if (n <= 0) return;
  detail::for_positions(
      static_cast<detail::position>(n),
      [&](detail::position from, detail::position to) {
        using difference = std::iter_difference_t<It>;
        const It begin = first + static_cast<difference>(from);
        const It end = first + static_cast<difference>(to);
        if constexpr (detail::element_body<F, It>) {
          for (It i = begin; i != end; ++i) body(*i);
        } else {
          body(begin, end);
        }
      },
      how);
}

// The same for the elements of a range.
template <std::ranges::random_access_range R, class F>
  requires std::ranges::sized_range<R> &&
           (detail::element_body<F, std::ranges::iterator_t<R>> ||
            std::invocable<F&, std::ranges::iterator_t<R>, std::ranges::iterator_t<R>>)
void parallel_for(R&& range, F&& body, const loop_options& how = {}) {
  const auto first = std::ranges::begin(range);
  parallel_for(first, first + static_cast<std::ranges::range_difference_t<R>>(std::ranges::size(range)), body,
               how);
}

}  // namespace sennit
