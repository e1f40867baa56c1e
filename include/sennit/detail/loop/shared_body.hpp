// SPDX-License-Identifier: Apache-2.0
// What several strands call at once: the body of a loop, the operation of a reduction, the comparator of a
// sort.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/held.hpp>

#include <concepts>
#include <type_traits>

namespace sennit::detail {

// It is called as a constant, so that strands may share it, or work on copies, with the same outcome.
template <class F, class... Arguments>
concept shared_body = std::invocable<const std::remove_reference_t<F>&, Arguments...>;

template <class F, class... Arguments>
concept body_with_state =
    std::invocable<std::remove_reference_t<F>&, Arguments...> && !shared_body<F, Arguments...>;

// Does not compile for a body with state.
template <bool has_state>
consteval void refuse_state_if() {
  static_assert(!has_state, "the body changes itself (a mutable lambda, or an operator() that is not const), "
                            "and several workers call it at once: keep what it changes in a "
                            "sennit::per_worker or a sennit::reducer, or capture by reference what may be "
                            "shared");
}

template <class F, class... Arguments>
consteval void refuse_state() {
  refuse_state_if<body_with_state<F, Arguments...>>();
}
// The same for what makes one of a T and a V, or appends the V.
template <class F, class T, class V = T>
consteval void refuse_combination_with_state() {
  refuse_state_if<body_with_state<F, T, V> || body_with_state<F, T&, V>>();
}

// How constructs hold it: see held.hpp.
template <class F>
using held_body = std::conditional_t<light<F>, std::remove_cvref_t<F>, const std::remove_reference_t<F>&>;

}  // namespace sennit::detail
