// SPDX-License-Identifier: Apache-2.0
// Operations of reductions and reducers, which make one value of two.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/invoke.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace sennit::detail {

// combine(left, right) returns the combination of both values, in this order.
template <class F, class T, class V = T>
concept gives_both = std::invocable<F&, T, V> && std::convertible_to<std::invoke_result_t<F&, T, V>, T>;
// Or combine takes the left value by reference, appends the right one to it, and returns nothing or the left
// value. A function that takes its left value by copy, and returns nothing by mistake, would have no effect;
// so it is refused.
template <class F, class T, class V = T>
concept appends_right =
    !std::invocable<F&, T, V> && std::invocable<F&, T&, V> &&
    (std::is_void_v<std::invoke_result_t<F&, T&, V>> || std::same_as<std::invoke_result_t<F&, T&, V>, T&>);
template <class F, class T, class V = T>
concept combines = gives_both<F, T, V> || appends_right<F, T, V>;
template <class F, class T, class V = T>
concept forgets_to_return = std::invocable<F&, T, V> && std::is_void_v<std::invoke_result_t<F&, T, V>>;

template <class F, class T, class V>
SENNIT_INLINE void combine_into(F& combine, T& left, V&& right) {
  if constexpr (gives_both<F, T, V>) {
    left = static_cast<T>(detail::invoke(combine, std::move(left), std::forward<V>(right)));
  } else {
    detail::invoke(combine, left, std::forward<V>(right));
  }
}

// A conversion that drops the fraction of each value. If "0" is written instead of "0.0", values are added
// up as integers, and nothing shows that the sum is wrong. A sum that is too large for its integer type is
// not refused, as with +.
template <class From, class To>
concept drops_fractions = std::integral<To> && std::floating_point<std::remove_cvref_t<From>>;
template <class F, class T, class V = T>
concept gives_fractions = std::invocable<F&, T, V> && drops_fractions<std::invoke_result_t<F&, T, V>, T>;

}  // namespace sennit::detail
