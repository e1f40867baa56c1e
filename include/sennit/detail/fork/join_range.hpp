// SPDX-License-Identifier: Apache-2.0
// The join of as many branches as a range has.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/fork/fork_frame.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

template <class F>
concept branch = std::invocable<F>;
template <class F>
concept returnable =
    std::is_void_v<std::invoke_result_t<F>> || std::move_constructible<std::invoke_result_t<F>>;
template <class R>
concept branch_range = !branch<R> && std::ranges::random_access_range<R> && std::ranges::sized_range<R> &&
                       std::invocable<std::ranges::range_reference_t<R>>;

// What stands for a branch's result in a vector.
template <class T>
using listed_result =
    std::conditional_t<std::is_lvalue_reference_v<T>, std::reference_wrapper<std::remove_reference_t<T>>,
                       std::remove_cvref_t<T>>;

// Calls them by halves, so that as many workers as there are may come. `fork` joins two. Precondition: from <
// to.
template <class Fork, class Call>
void join_positions(std::size_t from, std::size_t to, const Fork& fork, const Call& call) {
  if (to - from == 1) {
    call(from);
    return;
  }
  const std::size_t middle = from + (to - from + 1) / 2;
  fork([&] { join_positions(from, middle, fork, call); }, [&] { join_positions(middle, to, fork, call); });
}

template <class R, class Fork>
auto join_range(R& branches, const Fork& fork) {
  using result = std::invoke_result_t<std::ranges::range_reference_t<R>>;
  const auto first = std::ranges::begin(branches);
  const auto n = static_cast<std::size_t>(std::ranges::size(branches));
  const auto at = [&](std::size_t i) -> decltype(auto) {
    return first[static_cast<std::ranges::range_difference_t<R>>(i)];
  };
  if constexpr (std::is_void_v<result>) {
    if (n != 0) join_positions(0, n, fork, [&](std::size_t i) { at(i)(); });
  } else {
    // Each in a place of its own: those of a std::vector<bool> are not.
    std::vector<std::optional<listed_result<result>>> places(n);
    if (n != 0) join_positions(0, n, fork, [&](std::size_t i) { places[i].emplace(at(i)()); });
    std::vector<listed_result<result>> results;
    results.reserve(n);
    for (auto& place : places) results.push_back(*std::move(place));
    return results;
  }
}

// No form of the call fits.
template <class... F>
consteval void refuse_join() {
  if constexpr (sizeof...(F) == 0) {
    static_assert(never<F...>, "join: there is no branch; give functions that are called without arguments");
  } else if constexpr (sizeof...(F) == 1 && (std::ranges::range<F> && ...)) {
    static_assert(never<F...>, "join: the range does not hold branches, functions that are called without "
                               "arguments, or has no random "
                               "access or no size; give a std::vector of branches");
  } else {
    static_assert(
        never<F...>,
        "join: an argument is not a branch, a function that is called without arguments; capture what the "
        "function needs, as in join([&] { f(x); }, [&] { g(y); })");
  }
}

}  // namespace sennit::detail
