// How two values become one: the operations of reductions and reducers.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/invoke.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace sennit::detail {

// combine(left, right), which gives the value of both, in this order.
template <class F, class T, class V = T>
concept gives_both = std::invocable<F&, T, V> && std::convertible_to<std::invoke_result_t<F&, T, V>, T>;
// Or, returning nothing, appends the right one to the left one.
template <class F, class T, class V = T>
concept appends_right = std::invocable<F&, T&, V> && std::is_void_v<std::invoke_result_t<F&, T&, V>>;
template <class F, class T, class V = T>
concept combines = gives_both<F, T, V> || appends_right<F, T, V>;

template <class F, class T, class V>
SENNIT_INLINE void combine_into(F& combine, T& left, V&& right) {
  if constexpr (gives_both<F, T, V>) {
    left = static_cast<T>(detail::invoke(combine, std::move(left), std::forward<V>(right)));
  } else {
    detail::invoke(combine, left, std::forward<V>(right));
  }
}

}  // namespace sennit::detail
