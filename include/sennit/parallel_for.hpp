// parallel_for: loops whose iterations may run in parallel.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop.hpp>
#include <sennit/detail/sequence.hpp>
#include <sennit/split.hpp>

#include <concepts>
#include <cstddef>
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

// As with loop_options.
template <class Run>
SENNIT_INLINE void for_positions(position n, Run&& run, const split& by) {
  if (n != 0) run_loop(n, plain_body<held<Run>>{run}, split_options{{}, by});
}

template <class O>
concept for_options = std::same_as<O, loop_options> || std::same_as<O, split>;

// A body is called for each iteration, or for each chunk with its bounds.
template <class F, class I>
concept iteration_body = std::invocable<F&, I>;
template <class F, class I>
concept chunk_body = !iteration_body<F, I> && std::invocable<F&, I, I>;
template <class F, class It>
concept element_body = std::invocable<F&, std::iter_reference_t<It>>;

// A body that can be called as a constant may be copied.
template <class F, class... Arguments>
using kept = std::conditional_t<std::invocable<const std::remove_reference_t<F>&, Arguments...>, held<F>,
                                std::remove_reference_t<F>&>;

// The body, over chunks of positions from `first` on.
template <class I, class F>
struct index_chunks {
  static_assert(
      iteration_body<F, I> || chunk_body<F, I>,
      "parallel_for: the body takes neither an index, as [](long i) {} does, nor the bounds of a chunk, "
      "as [](long from, long to) {} does; give it such parameters");
  using offset = std::make_unsigned_t<I>;
  I first_;
  std::conditional_t<iteration_body<F, I>, kept<F, I>, kept<F, I, I>> body_;

  SENNIT_INLINE I at(position p) const noexcept {
    return static_cast<I>(static_cast<offset>(first_) + static_cast<offset>(p));
  }
  SENNIT_INLINE void operator()(position from, position to) const {
    auto&& body = nearby(body_);
    if constexpr (iteration_body<F, I>) {
      // Read once: as far as the compiler knows, an iteration that writes such integers might write the bound.
      const I end = at(to);
      for (I i = at(from); i != end; ++i) body(i);
    } else {
      body(at(from), at(to));
    }
  }
  SENNIT_INLINE void one(position p) const {
    if constexpr (iteration_body<F, I>) {
      body_(at(p));
    } else {
      body_(at(p), at(p + 1));
    }
  }
};

template <class It, class F>
struct element_chunks {
  static_assert(
      element_body<F, It> || std::invocable<F&, It, It>,
      "parallel_for: the body takes neither an element, as [](double& x) {} does, nor the bounds of a "
      "chunk, two iterators; give it such parameters");
  using difference = std::iter_difference_t<It>;
  It first_;
  std::conditional_t<element_body<F, It>, kept<F, std::iter_reference_t<It>>, kept<F, It, It>> body_;

  SENNIT_INLINE It at(position p) const { return first_ + static_cast<difference>(p); }
  SENNIT_INLINE void operator()(position from, position to) const {
    auto&& body = nearby(body_);
    if constexpr (element_body<F, It>) {
      const It end = at(to);
      for (It i = at(from); i != end; ++i) detail::invoke(body, *i);
    } else {
      detail::invoke(body, at(from), at(to));
    }
  }
};

}  // namespace detail

// Calls body(i) for each integer i of [first, last), or, if the body takes two, body(from, to) for chunks
// [from, to) that cover it without overlap.
//
// Bounds of different types make the interval that their values do, whatever their signs. The index has the
// type that both convert to, as in a plain loop; but std::int64_t, if that type is unsigned, has 32 bits and
// a bound is signed. Beside an unsigned bound of 64 bits a negative index arrives modulo 2^64, so that a body
// which takes a signed type gets the index itself.
//
// `how` is a loop_options, such as grain(100), or a split.
//
// The body is called by several threads at once. Throws what the lowest iteration that throws threw; later
// ones may have run. Throws sennit::cancelled in a cancelled region. May be called from any thread. Cost:
// that of the plain loop, and a reading of the clock for each chunk, of a microsecond or so; memory is
// allocated only for parts that other workers take.
//
// Example:
//   void add_scaled(long n, double a, const double* x, double* y) {
//     sennit::parallel_for(0, n, [=](long i) { y[i] += a * x[i]; });
//   }
template <class First, class Last, class F, detail::for_options Options = loop_options>
  requires detail::integer_bounds<First, Last>
void parallel_for(First first, Last last, F&& body, const Options& how = {} SENNIT_WHERE) {
  SENNIT_SITE("parallel_for");
  using I = detail::index<First, Last>;
  if (const auto n = detail::count(first, last); n > 0)
    detail::for_positions(n, detail::index_chunks<I, F>{static_cast<I>(first), body}, how);
}

// Calls body(*i) for each iterator i of [first, last), or body(from, to) for chunks of iterators. A body may
// be a pointer to a member of the elements.
template <std::random_access_iterator It, std::sized_sentinel_for<It> End, class F,
          detail::for_options Options = loop_options>
void parallel_for(It first, End last, F&& body, const Options& how = {} SENNIT_WHERE) {
  SENNIT_SITE("parallel_for");
  if (const auto n = last - first; n > 0) {
    detail::for_positions(static_cast<detail::position>(n), detail::element_chunks<It, F>{first, body}, how);
  }
}

// The same for the elements of a range.
template <std::ranges::range R, class F, detail::for_options Options = loop_options>
void parallel_for(R&& range, F&& body, const Options& how = {} SENNIT_WHERE) {
  SENNIT_SITE("parallel_for");
  static_assert(detail::countable_range<R>,
                "parallel_for: the range has no random access, or no size, so it cannot be split; go over a "
                "std::vector of its elements, or of pointers to them");
  if constexpr (detail::countable_range<R>) {
    const auto first = std::ranges::begin(range);
    const auto size = static_cast<std::ranges::range_difference_t<R>>(std::ranges::size(range));
    parallel_for(first, first + size, body, how);
  }
}

}  // namespace sennit
