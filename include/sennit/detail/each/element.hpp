// SPDX-License-Identifier: Apache-2.0
// How elements go from a sequence through its stages to a result.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// A lazy sequence has `position size()`, and `bool push(from, to, take)`, which gives the elements of these positions to
// take() in order, until one of its calls returns true. An indexed one has one element a position, which is at(position).
// prepare(how) is called once before all this. `engine` is where it runs.
template <class S>
concept lazy_sequence = requires { typename std::remove_cvref_t<S>::lazy; };
template <class S>
concept indexed_sequence = lazy_sequence<S> && std::remove_cvref_t<S>::indexed;

// Gives an element on. Returns whether that was enough: what returns nothing takes all.
template <class Take, class V>
SENNIT_INLINE bool give(Take& take, V&& element) {
  if constexpr (std::is_void_v<std::invoke_result_t<Take&, V>>) {
    take(std::forward<V>(element));
    return false;
  } else {
    return take(std::forward<V>(element));
  }
}

// The type of the elements that a sequence pushes.
template <class S>
using element_of = typename std::remove_cvref_t<S>::element;

// The type in which an element is kept when the sequence has gone: nothing of it refers to elsewhere.
template <class E>
struct kept_element {
  using type = E;
};
template <class A, class B>
struct kept_element<std::pair<A, B>> {
  using type = std::pair<typename kept_element<std::remove_cvref_t<A>>::type,
                         typename kept_element<std::remove_cvref_t<B>>::type>;
};
template <>
struct kept_element<std::vector<bool>::reference> {
  using type = bool;
};
template <class S>
using kept_of = typename kept_element<std::remove_cvref_t<element_of<S>>>::type;
template <class V, class E>
SENNIT_INLINE decltype(auto) keep(E&& element) {
  if constexpr (std::same_as<V, std::remove_cvref_t<E>>) {
    return std::forward<E>(element);
  } else if constexpr (!std::constructible_from<V, E>) {
    V all;
    for (auto&& each : element) all.push_back(std::forward<decltype(each)>(each));
    return all;
  } else {
    return V(std::forward<E>(element));
  }
}

// A stage waits for the sequence on its left.
template <class Make>
struct stage {
  Make make;
};
template <class Make>
stage(Make) -> stage<Make>;

template <lazy_sequence S, class Make>
SENNIT_INLINE auto operator|(S&& sequence, stage<Make> next) {
  return std::move(next.make)(std::forward<S>(sequence));
}

}  // namespace sennit::detail
