// SPDX-License-Identifier: Apache-2.0
// parallel_transform_reduce: the combined values of what a function makes of the elements of two sequences. Of one:
// sennit/parallel_reduce.hpp.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/operations.hpp>
#include <sennit/detail/algorithm/parts.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/algorithm/zipped.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>
#include <sennit/parallel_reduce.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

template <class F, class V, class W>
concept pair_transformation =
    !option<F> && std::invocable<F&, V, W> && !std::is_void_v<std::invoke_result_t<F&, V, W>>;
template <class T, class Combine, class F, class V, class W>
concept reduces_pairs =
    pair_transformation<F, V, W> && reduce_operation<Combine, T, std::invoke_result_t<F&, V, W>>;

// The forms of parallel_transform_reduce, listed below.
template <class Engine>
struct transform_reduce_calls {
  template <countable_range Left, countable_range Right, class T, class Combine = std::plus<>,
            class F = std::multiplies<>, reduce_options Options = loop_options>
    requires reduces_pairs<T, Combine, F, std::ranges::range_reference_t<Left>,
                           std::ranges::range_reference_t<Right>>
  T operator()(Left&& left, Right&& right, T first, Combine&& combine = {}, F&& f = {},
               const Options& how = Options() SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_transform_reduce");
    const auto a = sequence_of(left);
    const auto b = sequence_of(right);
    return run(a, b, std::min(a.size, b.size), std::move(first), combine, f, how);
  }
  template <class It, class End, std::random_access_iterator Second, class T, class Combine = std::plus<>,
            class F = std::multiplies<>, reduce_options Options = loop_options>
    requires iterator_bounds<It, End> &&
             reduces_pairs<T, Combine, F, std::iter_reference_t<It>, std::iter_reference_t<Second>>
  T operator()(It begin, End end, Second second, T first, Combine&& combine = {}, F&& f = {},
               const Options& how = Options() SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_transform_reduce");
    const auto a = sequence_of(begin, end);
    return run(a, elements<Second>{second, a.size}, a.size, std::move(first), combine, f, how);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_sequence<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      using second = argument<n, A...>;
      using T = std::decay_t<argument<n + 1, A...>>;
      using F = argument<n + 3, A...>;
      if constexpr (n == 1 ? !countable_range<second>
                           : !std::random_access_iterator<std::remove_cvref_t<second>>) {
        static_assert(
            never<A...>,
            "parallel_transform_reduce: the second sequence is no random-access range, or iterator, as the "
            "first one is; for a single sequence, call parallel_reduce(range, first, transformation, "
            "operation)");
      } else if constexpr (std::is_void_v<T> || option<T>) {
        static_assert(never<A...>,
                      "parallel_transform_reduce: there is no first value; give it after the two "
                      "sequences, as in parallel_transform_reduce(x, y, 0.0)");
      } else if constexpr (option<argument<n + 2, A...>> || option<F>) {
        static_assert(never<A...>,
                      "parallel_transform_reduce: options come behind the operation and the function, as "
                      "in (x, y, 0.0, std::plus<>(), std::multiplies<>(), deterministic)");
      } else {
        static_assert(
            never<A...>,
            "parallel_transform_reduce: the function, which comes after the operation, cannot be called with "
            "an element of each sequence, or the operation does not combine what it returns, converted to "
            "the type of the first value; for doubles, the first value is 0.0");
      }
    }
  }

 private:
  template <class Left, class Right, class T, class Combine, class F, class Options>
  SENNIT_INLINE static T run(const Left& left, const Right& right, position n, T first, Combine& combine,
                             F& f, const Options& how) {
    refuse_state<F, typename Left::value, typename Right::value>();
    const auto map = [&f](auto&& both) -> decltype(auto) {
      return detail::invoke(f, static_cast<typename Left::value>(both.left),
                            static_cast<typename Right::value>(both.right));
    };
    refuse_combination_with_state<Combine, T>();
    if (n == 0) return first;
    reduced_parts<zipped<Left, Right>, T, decltype(map), Combine> parts({left, right, n}, map, combine);
    T rest = value_of_parts<Engine, T>(parts, n, how);
    return parts.combined(std::move(first), std::move(rest));
  }
};

}  // namespace detail

// Computes combine(... combine(combine(first, f(x0, y0)), f(x1, y1)) ..., f(xn, yn)), in any bracketing. Without functions it
// is the inner product.
//
//   parallel_transform_reduce(range, range, first, combine = std::plus<>(), f = std::multiplies<>(), how = {})
//   parallel_transform_reduce(first, last, second, first value, combine = std::plus<>(), f = std::multiplies<>(), how = {})
//
// Two ranges are gone through as long as both have elements. In the second form there are two iterators, or an iterator and
// a number, and as many elements from `second` on. `how` is a loop_options or `deterministic`. What holds for the result's
// type, the operation, exceptions, threads and cost is said at parallel_reduce, of which f is the transformation. For one
// sequence, call that.
//
// Example:
//   #include <vector>
//
//   double inner_product(const std::vector<double>& x, const std::vector<double>& y) {
//     return sennit::parallel_transform_reduce(x, y, 0.0);
//   }
//   long differences(const std::vector<char>& a, const std::vector<char>& b) {
//     return sennit::parallel_transform_reduce(a, b, 0L, std::plus<>(), std::not_equal_to<>());
//   }
inline constexpr detail::algorithm<detail::transform_reduce_calls<detail::in_parallel>>
    parallel_transform_reduce{};

}  // namespace sennit
