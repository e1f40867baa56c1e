// SPDX-License-Identifier: Apache-2.0
// parallel_fold: folds elements into results, and combines the results.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/combine.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/laws.hpp>
#include <sennit/detail/algorithm/operations.hpp>
#include <sennit/detail/algorithm/parts.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>
#include <sennit/detail/misuse.hpp>

#include <concepts>
#include <cstddef>
#include <source_location>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

// Each part begins with the identity of combine, or with a copy of the first value.
template <class T, class Combine>
concept fold_result = std::movable<T> && (knows_identity<Combine, T> || std::copy_constructible<T>);

template <class F, class T, class V>
concept fold_step = !option<F> && combines<F, T, V> && !gives_fractions<F, T, V>;

template <class F, class T>
concept fold_combination =
    !option<F> && !never_associates<F> && combines<F, T> && !gives_fractions<F, T> && fold_result<T, F>;

template <class Engine, class Sequence, class T, class Fold, class Combine, class Options>
SENNIT_INLINE T fold(const Sequence& sequence, T first, Fold& step, Combine& combine, const Options& how,
                     std::source_location where) {
  refuse_combination_with_state<Fold, T, typename Sequence::value>();
  refuse_combination_with_state<Combine, T>();
  if (sequence.size == 0) return first;
  if constexpr (!knows_identity<Combine, T>) {
    if (!may_be_identity(first, combine)) [[unlikely]] {
      misuse("parallel_fold: the first value is no identity of the combination, which changes it when it is "
             "combined with itself, so it would count once for each part that a worker takes; give an "
             "identity, such as 0 for a sum, and combine the result with your value; or a combination of "
             "which the identity is known, such as std::plus<>()",
             where);
    }
  }
#if SENNIT_CHECKED
  expect_fold_agrees<T>(
      sequence,
      [&]() -> T {
        if constexpr (knows_identity<Combine, T>) {
          return identity_of<T>(combine);
        } else {
          return first;
        }
      },
      step, combine, where);
#endif
  folded_parts<Sequence, T, Fold, Combine> parts(sequence, first, step, combine);
  return value_of_parts<Engine, T>(parts, sequence.size, how);
}

// The forms of parallel_fold, listed below.
template <class Engine>
struct fold_calls {
  template <class First, class Last, class T, class Fold, class Combine,
            reduce_options Options = loop_options>
    requires bounds<First, Last> && fold_step<Fold, T, typename sequence_for<First, Last>::value> &&
             fold_combination<Combine, T>
  T operator()(First begin, Last end, T first, Fold&& step, Combine&& combine, const Options& how = Options(),
               std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_fold");
    return fold<Engine>(sequence_of(begin, end), std::move(first), step, combine, how, where);
  }
  template <countable_range R, class T, class Fold, class Combine, reduce_options Options = loop_options>
    requires fold_step<Fold, T, std::ranges::range_reference_t<R>> && fold_combination<Combine, T>
  T operator()(R&& range, T first, Fold&& step, Combine&& combine, const Options& how = Options(),
               std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_fold");
    return fold<Engine>(sequence_of(range), std::move(first), step, combine, how, where);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_sequence<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      using V = typename decltype(sequence)::value;
      using T = std::decay_t<argument<n, A...>>;
      using F = argument<n + 1, A...>;
      using G = argument<n + 2, A...>;
      if constexpr (std::is_void_v<T> || std::is_void_v<F> || std::is_void_v<G> || option<F> || option<G>) {
        static_assert(
            never<A...>,
            "parallel_fold: what makes one of two results is missing; call parallel_fold(range, first, fold, "
            "combine), with std::plus<>() for combine if results are added up");
      } else if constexpr (gives_fractions<F, T, V> || gives_fractions<G, T>) {
        static_assert(never<A...>, "parallel_fold: the first value is an integer, so the fraction of each "
                                   "result would be lost; give "
                                   "the first value the type of the result, as in 0.0");
      } else if constexpr (forgets_to_return<F, T, V>) {
        static_assert(
            never<A...>,
            "parallel_fold: the fold returns nothing and takes its left value by copy, so the result would "
            "be "
            "lost; return it, or take the left value by reference, as [](T& left, const auto& element) does");
      } else if constexpr (!fold_step<F, T, V>) {
        static_assert(
            never<A...>,
            "parallel_fold: the fold does not make a result of a result, of the first value's type, and an "
            "element; give one as [](T left, const auto& element) -> T");
      } else if constexpr (forgets_to_return<G, T, T>) {
        static_assert(
            never<A...>,
            "parallel_fold: the combination returns nothing and takes its left value by copy, so the result "
            "would be lost; return it, or take the left value by reference, as [](T& left, const T& right) "
            "does");
      } else if constexpr (never_associates<G>) {
        static_assert(never<A...>,
                      "parallel_fold: the combination of results is not associative, as it has to be");
      } else if constexpr (!combines<G, T>) {
        static_assert(
            never<A...>,
            "parallel_fold: the combination does not make one result of two, of the first value's type; give "
            "one as [](T left, T right) -> T, or as [](T& left, const T& right)");
      } else if constexpr (!fold_result<T, G>) {
        static_assert(
            never<A...>,
            "parallel_fold: the first value cannot be copied, and each worker's part begins with one; give a "
            "combination with a function identity(), which makes them");
      } else {
        refuse_the_rest<A...>();
      }
    }
  }
};

}  // namespace detail

// Computes std::accumulate(range, first, fold) in parallel. Each worker folds parts of the sequence, and
// combine(left, right) makes one result of two neighboring ones.
//
//   parallel_fold(range, first, fold, combine, how = {})       random-access, sized
//   parallel_fold(begin, end, first, fold, combine, how = {})  two integers or iterators, or an iterator and a
//                                                              number
//
// fold(result, element) returns a result of the type T of `first`. Or fold takes the result as T&, adds the
// element to it, and returns nothing, so that a large result is not moved. combine(left, right) takes two
// results in the same way. Preconditions: combine is associative, and agrees with fold: combine(x, fold(y,
// e)) == fold(combine(x, y), e).
//
// Each part begins with an identity of combine: a value that combine leaves without effect. The library
// knows the identities of std::plus<>, std::multiplies<>, std::bit_or<> and similar operations, and of
// std::ranges::min and max. An operation of the program can state its identity by a member T identity()
// const. In these cases `first` may be any value, and counts once, at the left. For any other combine, parts
// begin with copies of `first`, which must be an identity. If a T can be compared, the library checks that
// combine(first, first) == first, and ends the program with a message if not. The checked variant of the
// library also checks, for some elements, that fold and combine agree.
//
// `how` is a loop_options, such as grain(100), or `deterministic`, as in parallel_reduce. Exceptions,
// thread-safety and cost are those of parallel_reduce, plus one combination of `first` with itself.
//
// Example:
//   #include <array>
//   #include <cstddef>
//   #include <functional>
//   #include <string>
//   #include <vector>
//
//   long letters(const std::vector<std::string>& words) {
//     return sennit::parallel_fold(
//         words, 0L, [](long n, const std::string& word) { return n + static_cast<long>(word.size()); }, std::plus<>());
//   }
//
//   using histogram = std::array<long, 256>;
//   histogram histogram_of(const std::vector<unsigned char>& bytes) {
//     return sennit::parallel_fold(
//         bytes, histogram(), [](histogram& h, unsigned char byte) { ++h[byte]; },
//         [](histogram& left, const histogram& right) {
//           for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
//         });
//   }
inline constexpr detail::algorithm<detail::fold_calls<detail::in_parallel>> parallel_fold{};

}  // namespace sennit
