// What compilers say of a parallel_for that does not compile. Each check is for a mistake that is often made.
#pragma once

#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/loop/chunks.hpp>
#include <sennit/detail/loop/shared_body.hpp>
#include <sennit/partition.hpp>

#include <concepts>
#include <iterator>
#include <ranges>
#include <type_traits>

namespace sennit::detail {

template <class O>
concept for_options = std::same_as<O, loop_options> || partition<O>;

// The checks return whether it is worth going on, so that the first error is the only one.

template <class F, class I>
consteval bool check_index_body() {
  constexpr bool good = shared_body<F, I> || shared_body<F, I, I>;
  constexpr bool with_state = !good && (body_with_state<F, I> || body_with_state<F, I, I>);
  if constexpr (with_state) {
    refuse_state_if<with_state>();
  } else {
    static_assert(
        good,
        "parallel_for: the body takes neither an index, as [](long i) {} does, nor the bounds of a chunk, "
        "as [](long from, long to) {} does; give it such parameters");
  }
  return good;
}

template <class F, class I>
consteval bool check_stepped_body() {
  constexpr bool with_state = body_with_state<F, I>;
  if constexpr (with_state) {
    refuse_state_if<with_state>();
  } else {
    static_assert(shared_body<F, I>, "parallel_for: with a step, the body takes an index, as [](long i) {} "
                                     "does; give it such a parameter");
  }
  return shared_body<F, I>;
}

template <class F, class It>
consteval bool check_element_body() {
  using element = std::iter_reference_t<It>;
  constexpr bool good = shared_body<F, element> || shared_body<F, It, It>;
  constexpr bool with_state = !good && (body_with_state<F, element> || body_with_state<F, It, It>);
  if constexpr (!writable_in_parallel<It>) {
    static_assert(
        writable_in_parallel<It>,
        "parallel_for: elements of this range share words, as those of a std::vector<bool>, so workers "
        "that write neighbors undo each other's work; use a std::vector<char>, or pass std::as_const() of "
        "the range if it is only read");
    return false;
  } else if constexpr (with_state) {
    refuse_state_if<with_state>();
  } else {
    static_assert(
        good,
        "parallel_for: the body takes neither an element, as [](double& x) {} does, nor the bounds of a "
        "chunk, two iterators; give it such parameters");
  }
  return good;
}

template <class R>
consteval bool check_range() {
  static_assert(countable_range<R>,
                "parallel_for: the range has no random access, or no size, so it cannot be split; go over a "
                "std::vector of its elements, or of pointers to them");
  return countable_range<R>;
}

// No form of the call fits.
template <class... Arguments>
consteval void refuse_loop() {
  using first = plain_argument<0, Arguments...>;
  using second = plain_argument<1, Arguments...>;
  using third = plain_argument<2, Arguments...>;
  using last = plain_argument<sizeof...(Arguments) == 0 ? 0 : sizeof...(Arguments) - 1, Arguments...>;
  constexpr bool numbers_only = (std::is_arithmetic_v<std::remove_cvref_t<Arguments>> && ...);
  constexpr bool floating =
      std::floating_point<first> || std::floating_point<second> || std::floating_point<third>;
  constexpr bool has_options = (for_options<std::remove_cvref_t<Arguments>> || ...);

  if constexpr (floating) {
    static_assert(
        !floating,
        "parallel_for: a bound, or the step, is a floating-point number; count in integers, and compute "
        "the number in the body, as first + i * step");
  } else if constexpr (numbers_only || sizeof...(Arguments) < 2) {
    static_assert(never<Arguments...>,
                  "parallel_for: there is no body; give a function behind the bounds or the range, as in "
                  "parallel_for(n, [](long i) {})");
  } else if constexpr (has_options && !for_options<last>) {
    static_assert(
        never<Arguments...>,
        "parallel_for: the options come last, behind the body, as in parallel_for(n, body, grain(100))");
  } else if constexpr (weak_iterator<first> || weak_iterator<second>) {
    static_assert(
        never<Arguments...>,
        "parallel_for: these iterators have no random access, so the loop cannot be split; go over a "
        "std::vector of the elements, or of pointers to them");
  } else if constexpr (std::input_or_output_iterator<first> && sizeof...(Arguments) > 2) {
    static_assert(
        never<Arguments...>,
        "parallel_for: the second argument is neither an end for the iterator that is the first, nor a "
        "number of elements");
  } else if constexpr (std::ranges::range<std::remove_reference_t<first>&> && sizeof...(Arguments) > 2 &&
                       !has_options) {
    static_assert(
        never<Arguments...>,
        "parallel_for: behind a range comes the body, and behind the body only options, such as "
        "sennit::grain(100) or a sennit::split; for a part of a range give two iterators, or one and a "
        "number");
  } else if constexpr (std::integral<first> && sizeof...(Arguments) > 2 && !for_options<last>) {
    static_assert(
        never<Arguments...>,
        "parallel_for: behind the body come only options, such as sennit::grain(100) or a sennit::split, "
        "and before it only integers");
  } else {
    static_assert(
        never<Arguments...>,
        "parallel_for: no loop has such arguments; its forms are (n, body), (first, last, body), (first, "
        "last, step, body), (iterator, iterator, body), (iterator, n, body) and (range, body), each with "
        "options behind the body");
  }
}

}  // namespace sennit::detail
