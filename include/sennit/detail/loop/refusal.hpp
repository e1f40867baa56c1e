// SPDX-License-Identifier: Apache-2.0
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
concept for_options = std::same_as<O, loop_options> || partition<O> || loop_follower<O>;

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

// What is wrong with a call that no form of parallel_for fits.
enum class loop_mistake {
  fraction,
  no_body,
  options_before_body,
  weak_iterators,
  no_end,
  not_only_options_behind_range_and_body,
  not_only_options_behind_body,
  other
};

template <class... Arguments>
struct loop_arguments {
  using first = plain_argument<0, Arguments...>;
  using second = plain_argument<1, Arguments...>;
  using third = plain_argument<2, Arguments...>;
  using last = plain_argument<sizeof...(Arguments) == 0 ? 0 : sizeof...(Arguments) - 1, Arguments...>;

  static constexpr bool have_fraction =
      std::floating_point<first> || std::floating_point<second> || std::floating_point<third>;
  static constexpr bool have_no_body =
      sizeof...(Arguments) < 2 || (std::is_arithmetic_v<std::remove_cvref_t<Arguments>> && ...);
  static constexpr bool have_options = (for_options<std::remove_cvref_t<Arguments>> || ...);
  static constexpr bool have_options_before_body = have_options && !for_options<last>;
  static constexpr bool have_weak_iterators = weak_iterator<first> || weak_iterator<second>;
  static constexpr bool have_iterator_without_end =
      sizeof...(Arguments) > 2 && std::input_or_output_iterator<first>;
  static constexpr bool have_something_for_options = sizeof...(Arguments) > 2 && !have_options;
  static constexpr bool begin_with_range = std::ranges::range<std::add_lvalue_reference_t<first>>;
};

template <class... Arguments>
consteval loop_mistake mistake_in_loop() {
  using enum loop_mistake;
  using arguments = loop_arguments<Arguments...>;
  using first = typename arguments::first;
  if (arguments::have_fraction) return fraction;
  if (arguments::have_no_body) return no_body;
  if (arguments::have_options_before_body) return options_before_body;
  if (arguments::have_weak_iterators) return weak_iterators;
  if (arguments::have_iterator_without_end) return no_end;
  if (!arguments::have_something_for_options) return other;
  if (arguments::begin_with_range) return not_only_options_behind_range_and_body;
  return std::integral<first> ? not_only_options_behind_body : other;
}

// No form of the call fits.
template <class... Arguments>
consteval void refuse_loop() {
  using enum loop_mistake;
  constexpr loop_mistake mistake = mistake_in_loop<Arguments...>();
  static_assert(mistake != fraction,
                "parallel_for: a bound, or the step, is a floating-point number; count in integers, and "
                "compute the number in the body, as first + i * step");
  static_assert(mistake != no_body,
                "parallel_for: there is no body; give a function behind the bounds or the range, as in "
                "parallel_for(n, [](long i) {})");
  static_assert(mistake != options_before_body,
                "parallel_for: the options come last, behind the body, as in parallel_for(n, body, "
                "grain(100))");
  static_assert(mistake != weak_iterators,
                "parallel_for: these iterators have no random access, so the loop cannot be split; go over "
                "a std::vector of the elements, or of pointers to them");
  static_assert(mistake != no_end,
                "parallel_for: the second argument is neither an end for the iterator that is the first, "
                "nor a number of elements");
  static_assert(mistake != not_only_options_behind_range_and_body,
                "parallel_for: behind a range comes the body, and behind the body only options, such as "
                "sennit::grain(100) or a sennit::split; for a part of a range give two iterators, or one "
                "and a number");
  static_assert(mistake != not_only_options_behind_body,
                "parallel_for: behind the body come only options, such as sennit::grain(100) or a "
                "sennit::split, and before it only integers");
  static_assert(mistake != other,
                "parallel_for: no loop has such arguments; its forms are (n, body), (first, last, body), "
                "(first, last, step, body), (iterator, iterator, body), (iterator, n, body) and (range, "
                "body), each with options behind the body");
}

}  // namespace sennit::detail
