// SPDX-License-Identifier: Apache-2.0
// The forms of algorithms on two sorted sequences, and what compilers say of calls that fit none.
#pragma once

#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/loop/shared_body.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>

namespace sennit::detail {

template <class Left, class Right, class Comp, class P, class Q>
concept comparable_sequences =
    std::indirect_strict_weak_order<given_or<Comp, std::less<>>,
                                    std::projected<Left, given_or<P, std::identity>>,
                                    std::projected<Right, given_or<Q, std::identity>>> &&
    // Elements are compared where others are being moved away.
    !std::is_rvalue_reference_v<std::iter_reference_t<Left>> &&
    !std::is_rvalue_reference_v<std::iter_reference_t<Right>>;

// Says what is wrong with the comparison of two sequences, which is the I-th argument, and with the keys after it.
template <std::size_t I, class Left, class Right, class... A>
consteval void refuse_comparison() {
  using V = std::iter_reference_t<Left>;
  using W = std::iter_reference_t<Right>;
  using Comp = std::decay_t<argument<I, A...>>;
  using P = std::decay_t<argument<I + 1, A...>>;
  using Q = std::decay_t<argument<I + 2, A...>>;
  constexpr bool has_left_key = !std::is_void_v<P> && !option<P>;
  constexpr bool has_right_key = !std::is_void_v<Q> && !option<Q>;
  if constexpr (std::is_rvalue_reference_v<V> || std::is_rvalue_reference_v<W>) {
    static_assert(never<A...>,
                  "sennit: the elements are moved from when they are read, and they are compared more than "
                  "once; give the sequences without std::move_iterator");
  } else if constexpr (std::is_void_v<Comp> || option<Comp>) {
    static_assert(never<A...>,
                  "sennit: elements of the two sequences cannot be compared by <; give a comparison, as in "
                  "[](const T& a, const T& b) { ... }, by which both are sorted");
  } else if constexpr (has_left_key && !std::invocable<std::add_lvalue_reference_t<P>, V>) {
    static_assert(never<A...>,
                  "sennit: the first key, which comes after the comparison, cannot be called with an element "
                  "of the first sequence");
  } else if constexpr (has_right_key && !std::invocable<std::add_lvalue_reference_t<Q>, W>) {
    static_assert(never<A...>,
                  "sennit: the second key, which comes last, cannot be called with an element of the second "
                  "sequence; without it, keys are the elements");
  } else if constexpr (!comparable_sequences<Left, Right, Comp,
                                             std::conditional_t<has_left_key, P, std::identity>,
                                             std::conditional_t<has_right_key, Q, std::identity>>) {
    static_assert(never<A...>,
                  "sennit: the comparison cannot be called with any two elements of the two sequences, or of "
                  "one of them, or gives no bool; give one as [](const T& a, const T& b) { ... }, which says "
                  "whether a comes before b");
  } else {
    refuse_the_rest<A...>();
  }
}

// What comes after two sorted sequences.
enum class behind_sorted { comparison, destination, either };

template <class D>
concept meant_as_destination = std::ranges::range<D> || std::input_or_output_iterator<std::remove_cvref_t<D>>;

template <behind_sorted Behind, class... A>
consteval void refuse_sorted() {
  constexpr auto left = require_elements<A...>();
  if constexpr (left.arguments != 0) {
    constexpr auto right = require_second<left.arguments, A...>();
    constexpr std::size_t n = right.arguments;
    if constexpr (n != 0) {
      using L = typename decltype(left)::iterator;
      using R = typename decltype(right)::iterator;
      if constexpr (Behind == behind_sorted::comparison ||
                    (Behind == behind_sorted::either && !meant_as_destination<argument<n, A...>>)) {
        refuse_comparison<n, L, R, A...>();
      } else if constexpr (require_destination<n, std::iter_reference_t<L>, A...>() &&
                           require_destination<n, std::iter_reference_t<R>, A...>()) {
        refuse_comparison<n + 1, L, R, A...>();
      }
    }
  }
}

}  // namespace sennit::detail
