// SPDX-License-Identifier: Apache-2.0
// parallel_reduce: the combined values of a loop's iterations. Of two sequences: algorithm/transform_reduce.hpp.
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

#include <concepts>
#include <functional>
#include <source_location>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

// The result of a map for a value of the sequence.
template <class F, class V>
concept reduce_map = std::invocable<F&, V> && !std::is_void_v<std::invoke_result_t<F&, V>>;

template <class V, class T>
concept converts_whole = std::convertible_to<V, T> && !drops_fractions<V, T>;

// The operation gets only values of the result's type. Elements of another type are converted.
template <class F, class T, class V>
concept reduce_operation = std::movable<T> && converts_whole<V, T> && !option<F> && !never_associates<F> &&
                           combines<F, T, converted<T, V>> && combines<F, T> && !gives_fractions<F, T>;

// An operation that the library does not know may be a fold, for example `sum + x * x`. If elements have
// another type than the result, the operation is probably a fold. If they have the same type, the checked
// variant detects a fold.
template <class F, class T, class Element>
concept operation_over_elements = known_to_associate<F> || std::same_as<T, Element>;

template <class Engine, class Sequence, class T, class Map, class Combine, class Options>
SENNIT_INLINE T reduce(const Sequence& sequence, T first, Map& map, Combine& combine, const Options& how) {
  refuse_state<Map, typename Sequence::value>();
  refuse_combination_with_state<Combine, T>();
  if (sequence.size == 0) return first;
  // Not const: GCC keeps constant objects in memory.
  reduced_parts<Sequence, T, Map, Combine> parts(sequence, map, combine);
  T rest = value_of_parts<Engine, T>(parts, sequence.size, how);
  return parts.combined(std::move(first), std::move(rest));
}

template <class Engine, class Sequence, class T, class Combine, class Options>
SENNIT_INLINE T reduce(const Sequence& sequence, T first, Combine& combine, const Options& how,
                       [[maybe_unused]] std::source_location where) {
#if SENNIT_CHECKED
  expect_associative<T>(sequence, combine, "parallel_reduce", where);
#endif
  std::identity map;
  return reduce<Engine>(sequence, std::move(first), map, combine, how);
}

// V: the type that the operation combines. Element: its type in the sequence; void after a map.
template <class T, class F, class V, class Element, class... A>
consteval void refuse_operation() {
  if constexpr (never_associates<F>) {
    static_assert(
        never<A...>,
        "parallel_reduce: the operation is not associative, as a reduction's has to be; a fold from left to "
        "right is parallel_fold(range, first, fold, combine)");
  } else if constexpr ((drops_fractions<V, T> && (known_to_associate<F> || !combines<F, T, V>)) ||
                       gives_fractions<F, T> || gives_fractions<F, T, V>) {
    static_assert(
        never<A...>,
        "parallel_reduce: the first value is an integer, so the fraction of each result would be lost; give "
        "the first value the type of the result, as in 0.0");
  } else if constexpr (forgets_to_return<F, T, converted<T, V>> || forgets_to_return<F, T, V>) {
    static_assert(
        never<A...>,
        "parallel_reduce: the operation returns nothing and takes its left value by copy, so the result "
        "would be lost; return it, or take the left value by reference, as [](T& left, const T& right) does");
  } else if constexpr (!converts_whole<V, T> && combines<F, T, V>) {
    static_assert(
        never<A...>,
        "parallel_reduce: the operation folds values that are not of the result's type, which is that of the "
        "first value; give the operation that makes one of two results, too: parallel_fold(range, first, "
        "fold, "
        "combine)");
  } else if constexpr (!std::convertible_to<V, T>) {
    static_assert(
        never<A...>,
        "parallel_reduce: the values to combine do not convert to the type of the first value, which is the "
        "result's; give a transformation that makes such values, parallel_reduce(range, first, "
        "transformation, operation), or fold: parallel_fold(range, first, fold, combine)");
  } else if constexpr (!std::is_void_v<Element> && combines<F, T> &&
                       !operation_over_elements<F, T, Element>) {
    static_assert(
        never<A...>,
        "parallel_reduce: the elements are of another type than the first value, so the operation may be a "
        "fold; give what is made of each element as a transformation, parallel_reduce(range, first, "
        "transformation, operation), or the operation that makes one of two results, parallel_fold(range, "
        "first, fold, combine)");
  } else if constexpr (std::same_as<std::remove_cvref_t<F>, std::plus<>>) {
    static_assert(
        never<A...>,
        "parallel_reduce: there is no + of these values; give the operation, as in parallel_reduce(range, "
        "first, operation)");
  } else {
    static_assert(
        never<A...>,
        "parallel_reduce: the operation does not combine two values of the result's type, that of the first "
        "value, into one; give one as [](T left, T right) -> T, or as [](T& left, const T& right)");
  }
}

// The forms of parallel_reduce, listed below.
template <class Engine>
struct reduce_calls {
  template <class First, class Last, class T, class Map, class Combine = std::plus<>,
            reduce_options Options = loop_options>
    requires bounds<First, Last> && reduce_map<Map, typename sequence_for<First, Last>::value> &&
             (!combines<Map, T>) &&
             reduce_operation<Combine, T,
                              std::invoke_result_t<Map&, typename sequence_for<First, Last>::value>>
  T operator()(First begin, Last end, T first, Map&& map, Combine&& combine = {},
               const Options& how = Options() SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_reduce");
    return reduce<Engine>(sequence_of(begin, end), std::move(first), map, combine, how);
  }

  template <class First, class Last, class T, class Combine = std::plus<>,
            reduce_options Options = loop_options>
    requires bounds<First, Last> && (!reduce_map<Combine, typename sequence_for<First, Last>::value>) &&
             reduce_operation<Combine, T, typename sequence_for<First, Last>::value> &&
             operation_over_elements<Combine, T, typename sequence_for<First, Last>::element>
  T operator()(First begin, Last end, T first, Combine&& combine = {}, const Options& how = Options(),
               std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_reduce");
    return reduce<Engine>(sequence_of(begin, end), std::move(first), combine, how, where);
  }

  template <countable_range R, class T, class Map, class Combine = std::plus<>,
            reduce_options Options = loop_options>
    requires reduce_map<Map, std::ranges::range_reference_t<R>> && (!combines<Map, T>) &&
             reduce_operation<Combine, T, std::invoke_result_t<Map&, std::ranges::range_reference_t<R>>>
  T operator()(R&& range, T first, Map&& map, Combine&& combine = {},
               const Options& how = Options() SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_reduce");
    return reduce<Engine>(sequence_of(range), std::move(first), map, combine, how);
  }

  template <countable_range R, class T, class Combine = std::plus<>, reduce_options Options = loop_options>
    requires(!reduce_map<Combine, std::ranges::range_reference_t<R>>) &&
            reduce_operation<Combine, T, std::ranges::range_reference_t<R>> &&
            operation_over_elements<Combine, T, std::ranges::range_value_t<R>>
  T operator()(R&& range, T first, Combine&& combine = {}, const Options& how = Options(),
               std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_reduce");
    return reduce<Engine>(sequence_of(range), std::move(first), combine, how, where);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_sequence<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      using found = decltype(sequence);
      using V = typename found::value;
      using T = std::decay_t<argument<n, A...>>;
      using F = argument<n + 1, A...>;
      using G = argument<n + 2, A...>;
      if constexpr (std::is_void_v<T> || option<T>) {
        static_assert(never<A...>,
                      "parallel_reduce: there is no first value; give it after what to go through, as in "
                      "parallel_reduce(range, 0.0)");
      } else if constexpr (option<F>) {
        static_assert(never<A...>, "parallel_reduce: the option stands where the operation is to be; options "
                                   "need it before them, as "
                                   "in parallel_reduce(range, 0.0, std::plus<>(), deterministic)");
      } else if constexpr (!std::movable<T>) {
        static_assert(never<A...>, "parallel_reduce: the first value, and so the result, cannot be moved");
      } else if constexpr (std::is_void_v<F>) {
        refuse_operation<T, std::plus<>, V, typename found::element, A...>();
      } else if constexpr (std::invocable<F&, V> && (combines<F, T> || forgets_to_return<F, T>)) {
        static_assert(
            never<A...>,
            "parallel_reduce: this function can be called with one value, as a transformation, and with two, "
            "as an operation; say which it is: (range, first, std::identity(), operation), or a lambda with "
            "as "
            "many parameters as it is to have");
      } else if constexpr (reduce_map<F, V>) {
        using mapped = std::invoke_result_t<F&, V>;
        if constexpr (std::is_void_v<G> || option<G>) {
          if constexpr (reduce_operation<std::plus<>, T, mapped>) {
            refuse_the_rest<A...>();
          } else {
            refuse_operation<T, std::plus<>, mapped, void, A...>();
          }
        } else if constexpr (reduce_operation<G, T, mapped>) {
          refuse_the_rest<A...>();
        } else {
          refuse_operation<T, G, mapped, void, A...>();
        }
      } else if constexpr (std::invocable<F&, V>) {
        static_assert(
            never<A...>,
            "parallel_reduce: the transformation returns nothing; a loop without a result is parallel_for");
      } else if constexpr (!std::is_void_v<G> && !option<G>) {
        static_assert(
            never<A...>,
            "parallel_reduce: the transformation, which stands before the operation, cannot be called with "
            "an "
            "element; or, if these are a fold and the combination of its results, call parallel_fold");
      } else if constexpr (reduce_operation<F, T, V> &&
                           operation_over_elements<F, T, typename found::element>) {
        refuse_the_rest<A...>();
      } else {
        refuse_operation<T, F, V, typename found::element, A...>();
      }
    }
  }
};

}  // namespace detail

// Computes combine(... combine(combine(first, map(x0)), map(x1)) ..., map(xn)), in any bracketing.
//
//   parallel_reduce(begin, end, first, map, combine = std::plus<>(), how = {})  two integers or iterators,
//                                                                               or an iterator and a number
//   parallel_reduce(begin, end, first, combine = std::plus<>(), how = {})       the values as they are
//   parallel_reduce(range, first, map, combine = std::plus<>(), how = {})       random-access, sized
//   parallel_reduce(range, first, combine = std::plus<>(), how = {})
//
// The result has the type T of `first`. Values that are combined are converted to T. combine(T, T) returns a
// T; or combine(T&, T) appends the right value to the left one and returns nothing, so that a large value is
// not moved. Precondition: combine is associative. It need not be commutative: the order is that of the
// sequence. `first` is moved, not copied, and counts once, at the left. For an empty sequence the result is
// `first`. A reduction that would lose the fraction of each value does not compile: for doubles, write
// `parallel_reduce(x, 0.0)` instead of `parallel_reduce(x, 0)`.
//
// An operation for std::accumulate, such as `[](long sum, long x) { return sum + x * x; }`, is a fold: its
// left argument is a result, and its right argument is an element. parallel_reduce needs an operation on two
// results. Write `parallel_reduce(x, 0L, [](long x) { return x * x; })`, or use parallel_fold. So without a
// map, an operation of the program compiles only for elements of type T; operations of the standard library
// (std::plus<>, std::multiplies<>, std::bit_and<>, ..., std::ranges::min and max) always compile. For an
// operation of the program, the checked variant of the library compares (a b) c with a (b c) for values of
// the sequence, and ends the program if they differ.
//
// `how` is a loop_options, such as grain(100), or `deterministic`. With `deterministic` the bracketing is a
// tree that depends only on the number of values. So rounding is the same with any number of workers and in
// sennit::serial. (With -ffast-math, compilers reorder the additions inside a leaf.)
//
// Several threads call map and combine at once; map is called once for each value. Throws the exception of
// the lowest iteration that threw, in map or in combine inside one strand's part; else what combining the
// parts threw. Throws sennit::cancelled in a cancelled region. Thread-safety: any thread may call it. Cost:
// as parallel_for, and one combination for each part of the loop that another worker took.
//
// Example:
//   #include <algorithm>
//   #include <limits>
//   #include <vector>
//
//   double norm(const std::vector<double>& x) {
//     return sennit::parallel_reduce(x, 0.0, [](double v) { return v * v; });
//   }
//   double same_everywhere(const std::vector<double>& x) {
//     return sennit::parallel_reduce(x, 0.0, std::plus<>(), sennit::deterministic);
//   }
//   long sum_of_squares(long n) {
//     return sennit::parallel_reduce(0, n, 0L, [](long i) { return i * i; });
//   }
//   int largest(const std::vector<int>& x) {
//     return sennit::parallel_reduce(x, std::numeric_limits<int>::min(), std::ranges::max);
//   }
inline constexpr detail::algorithm<detail::reduce_calls<detail::in_parallel>> parallel_reduce{};

}  // namespace sennit
