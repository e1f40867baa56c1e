// SPDX-License-Identifier: Apache-2.0
// The forms in which algorithms are called: for a predicate, a value, an order, or two sequences.
#pragma once

#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/equality.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

namespace sennit::detail {

// Options may stand in the place of any argument that has a default, such as a projection.
template <class Given, class Default>
using given_or = std::conditional_t<std::same_as<Given, loop_options>, Default, Given>;
template <class Default, class Given>
SENNIT_INLINE decltype(auto) given_or_default(Given& given) {
  if constexpr (std::same_as<Given, loop_options>) {
    return Default();
  } else {
    return (given);
  }
}
SENNIT_INLINE const loop_options& options_among(const loop_options& last) noexcept { return last; }
template <class... More>
SENNIT_INLINE const loop_options& options_among(const loop_options& first, const More&...) noexcept {
  return first;
}
template <class First, class... More>
SENNIT_INLINE const loop_options& options_among(const First&, const More&... more) noexcept {
  return options_among(more...);
}

// What a projection makes of an element; std::identity if options stand in its place.
template <class Proj, class V>
using projected = std::invoke_result_t<given_or<Proj, std::identity>&, V>;
template <class Proj, class V>
concept projection = std::invocable<given_or<Proj, std::identity>&, V>;

template <class F, class... V>
concept predicate_of = !option<F> && std::predicate<F&, V...> && !body_with_state<F, V...>;

template <class It, class F, class Proj>
concept searched_by = projection<Proj, std::iter_reference_t<It>> &&
                      predicate_of<F, projected<Proj, std::iter_reference_t<It>>>;

template <class V, class T>
concept compares_with_value = !option<T> && requires(V&& element, const T& value) {
  { static_cast<V&&>(element) == value } -> std::convertible_to<bool>;
};
template <class It, class T, class Proj>
concept searched_for = projection<Proj, std::iter_reference_t<It>> &&
                       compares_with_value<projected<Proj, std::iter_reference_t<It>>, T>;

template <class It, class F, class Default, class Proj>
concept ordered_by = projection<Proj, std::iter_reference_t<It>> &&
                     predicate_of<given_or<F, Default>, projected<Proj, std::iter_reference_t<It>>,
                                  projected<Proj, std::iter_reference_t<It>>>;

template <class Left, class Right, class F, class Default, class Proj, class RightProj>
concept compared_by =
    projection<Proj, std::iter_reference_t<Left>> && projection<RightProj, std::iter_reference_t<Right>> &&
    predicate_of<given_or<F, Default>, projected<Proj, std::iter_reference_t<Left>>,
                 projected<RightProj, std::iter_reference_t<Right>>>;

// A result as a call with a range R returns it: iterators of a range that is gone after the call are no result.
template <class R, class Result>
auto lent(Result result) {
  using It = std::ranges::iterator_t<R>;
  using borrowed = std::ranges::borrowed_iterator_t<R>;
  if constexpr (std::same_as<Result, It>) {
    return borrowed(std::move(result));
  } else if constexpr (std::same_as<Result, std::ranges::minmax_result<It>>) {
    return std::ranges::minmax_result<borrowed>{borrowed(std::move(result.min)),
                                                borrowed(std::move(result.max))};
  } else {
    return result;
  }
}
// The same for two ranges. A single iterator is one of the left range.
template <class Left, class Right, class Result>
auto lent_by_two(Result result) {
  using I = std::ranges::iterator_t<Left>;
  using J = std::ranges::iterator_t<Right>;
  using left = std::ranges::borrowed_iterator_t<Left>;
  using right = std::ranges::borrowed_iterator_t<Right>;
  if constexpr (std::same_as<Result, I>) {
    return left(std::move(result));
  } else if constexpr (std::same_as<Result, std::ranges::in_in_result<I, J>>) {
    return std::ranges::in_in_result<left, right>{left(std::move(result.in1)), right(std::move(result.in2))};
  } else {
    return result;
  }
}

// As require_sequence(), for algorithms that do not go over integers.
template <class... A>
consteval auto require_elements() {
  if constexpr (integer_bounds<plain_argument<0, A...>, plain_argument<1, A...>>) {
    static_assert(never<A...>, "sennit: the input is two integers; give std::views::iota(first, last)");
    return found_sequence<0>();
  } else {
    return require_sequence<A...>();
  }
}

// Says that a second sequence must follow the first one, which N arguments give. Otherwise `arguments` is the number of
// those that give both.
template <std::size_t N, class... A>
consteval auto require_second() {
  using first = argument<N, A...>;
  if constexpr (N == 1 && countable_range<first>) {
    return found_sequence<2, elements<std::ranges::iterator_t<first>>>();
  } else if constexpr (N == 1) {
    static_assert(never<A...>, "sennit: the second argument is no random-access range with a size; the two "
                               "sequences are two ranges, or four iterators");
    return found_sequence<0>();
  } else if constexpr (iterator_bounds<plain_argument<N, A...>, plain_argument<N + 1, A...>>) {
    return found_sequence<4, elements<plain_argument<N, A...>>>();
  } else {
    static_assert(never<A...>, "sennit: behind the end of the first sequence come the begin and the end of "
                               "the second one, as two iterators, or as an iterator and a number");
    return found_sequence<0>();
  }
}

template <std::size_t I, class V, class... A>
consteval void refuse_projection() {
  using Proj = argument<I, A...>;
  if constexpr (std::is_void_v<Proj> || option<Proj>) {
    refuse_the_rest<A...>();
  } else if constexpr (!std::invocable<Proj&, V>) {
    static_assert(never<A...>,
                  "sennit: the projection, which comes last before the options, cannot be called "
                  "with an element");
  } else {
    static_assert(never<A...>, "sennit: the function cannot be called with what the projection makes of "
                               "elements, or gives no bool");
  }
}

// `Algorithm` has a name, and a function run<Engine>(sequence, predicate, projection, how).
template <class Engine, class Algorithm>
struct predicate_forms {
  template <countable_range R, class F, class Proj = std::identity>
    requires searched_by<std::ranges::iterator_t<R>, F, Proj>
  auto operator()(R&& range, F&& predicate, Proj proj = {}, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return lent<R>(run(sequence_of(range), predicate, proj, how));
  }
  template <class It, class End, class F, class Proj = std::identity>
    requires iterator_bounds<It, End> && searched_by<It, F, Proj>
  auto operator()(
      It first, End last, F&& predicate, Proj proj = {}, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return run(sequence_of(first, last), predicate, proj, how);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_elements<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      using V = typename decltype(sequence)::value;
      using F = argument<n, A...>;
      if constexpr (std::is_void_v<F> || option<F>) {
        static_assert(never<A...>,
                      "sennit: there is no predicate; it comes after the elements to go through");
      } else if constexpr (body_with_state<F, V>) {
        refuse_state<F, V>();
      } else if constexpr (predicate_of<F, V>) {
        refuse_projection<n + 1, V, A...>();
      } else if constexpr (std::is_void_v<argument<n + 1, A...>> || option<argument<n + 1, A...>>) {
        static_assert(never<A...>,
                      "sennit: the predicate cannot be called with an element, or gives no bool; give one as "
                      "[](const T& element) { ... }, which says whether it is meant");
      } else {
        refuse_projection<n + 1, V, A...>();
      }
    }
  }

 private:
  template <class Sequence, class F, class Proj>
  static auto run(const Sequence& sequence, F& predicate, Proj& proj, const loop_options& how) {
    auto&& project = given_or_default<std::identity>(proj);
    using V = typename Sequence::value;
    refuse_state<Proj, V>();
    return Algorithm::template run<Engine>(sequence, predicate, project, options_among(proj, how));
  }
};

// As predicate_forms. The predicate is equality with a value.
template <class Engine, class Algorithm>
struct value_forms {
  template <countable_range R, class T, class Proj = std::identity>
    requires searched_for<std::ranges::iterator_t<R>, T, Proj>
  auto
  operator()(R&& range, const T& value, Proj proj = {}, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return lent<R>(run(sequence_of(range), value, proj, how));
  }
  template <class It, class End, class T, class Proj = std::identity>
    requires iterator_bounds<It, End> && searched_for<It, T, Proj>
  auto operator()(
      It first, End last, const T& value, Proj proj = {}, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return run(sequence_of(first, last), value, proj, how);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_elements<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      using V = typename decltype(sequence)::value;
      using T = argument<n, A...>;
      if constexpr (std::is_void_v<T> || option<T>) {
        static_assert(never<A...>, "sennit: there is no value to compare the elements with");
      } else if constexpr (compares_with_value<V, T>) {
        refuse_projection<n + 1, V, A...>();
      } else if constexpr (predicate_of<T, V>) {
        static_assert(never<A...>, "sennit: there is a predicate where a value is to be; the algorithm for "
                                   "predicates has a name that ends with _if");
      } else {
        static_assert(never<A...>, "sennit: there is no == of an element and the value; give a predicate to "
                                   "the algorithm whose name ends with _if");
      }
    }
  }

 private:
  template <class Sequence, class T, class Proj>
  static auto run(const Sequence& sequence, const T& value, Proj& proj, const loop_options& how) {
    auto&& project = given_or_default<std::identity>(proj);
    refuse_state<Proj, typename Sequence::value>();
    const equal_to_value<T> equal{value};
    return Algorithm::template run<Engine>(sequence, equal, project, options_among(proj, how));
  }
};

// `Algorithm` has a name, a default_function, and run<Engine>(sequence, function, projection, how).
template <class Engine, class Algorithm>
struct order_forms {
  using standard = typename Algorithm::default_function;

  template <countable_range R, class F = standard, class Proj = std::identity>
    requires ordered_by<std::ranges::iterator_t<R>, F, standard, Proj>
  auto
  operator()(R&& range, F function = {}, Proj proj = {}, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return lent<R>(run(sequence_of(range), function, proj, how));
  }
  template <class It, class End, class F = standard, class Proj = std::identity>
    requires iterator_bounds<It, End> && ordered_by<It, F, standard, Proj>
  auto operator()(
      It first, End last, F function = {}, Proj proj = {}, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return run(sequence_of(first, last), function, proj, how);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_elements<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      using V = typename decltype(sequence)::value;
      using F = argument<n, A...>;
      if constexpr (std::is_void_v<F> || option<F>) {
        static_assert(never<A...>,
                      "sennit: the elements cannot be compared by the algorithm's own operator, < or "
                      "==; give a function, as in [](const T& a, const T& b) { ... }");
      } else if constexpr (body_with_state<F, V, V>) {
        refuse_state<F, V, V>();
      } else if constexpr (predicate_of<F, V, V> || !std::is_void_v<argument<n + 1, A...>>) {
        refuse_projection<n + 1, V, A...>();
      } else {
        static_assert(never<A...>,
                      "sennit: the function cannot be called with two elements, or gives no bool; "
                      "give one as [](const T& a, const T& b) { ... }");
      }
    }
  }

 private:
  template <class Sequence, class F, class Proj>
  static auto run(const Sequence& sequence, F& given, Proj& proj, const loop_options& how) {
    auto&& function = given_or_default<standard>(given);
    auto&& project = given_or_default<std::identity>(proj);
    using V = typename Sequence::value;
    refuse_state<Proj, V>();
    return Algorithm::template run<Engine>(sequence, function, project, options_among(given, proj, how));
  }
};

// `Algorithm` has a name, a default_function, may have a true takes_as_many, and has run<Engine>(left, right, function, left
// projection, right projection, how).
template <class Engine, class Algorithm>
struct pair_forms {
  using standard = typename Algorithm::default_function;

  template <countable_range Left, countable_range Right, class F = standard, class Proj = std::identity,
            class RightProj = std::identity>
    requires compared_by<std::ranges::iterator_t<Left>, std::ranges::iterator_t<Right>, F, standard, Proj,
                         RightProj>
  auto operator()(
      Left&& left, Right&& right, F function = {}, Proj proj = {}, RightProj right_proj = {},
      const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return lent_by_two<Left, Right>(
        run(sequence_of(left), sequence_of(right), function, proj, right_proj, how));
  }
  template <class I, class End, class J, class RightEnd, class F = standard, class Proj = std::identity,
            class RightProj = std::identity>
    requires iterator_bounds<I, End> && iterator_bounds<J, RightEnd> &&
             compared_by<I, J, F, standard, Proj, RightProj>
  auto operator()(
      I left, End left_end, J right, RightEnd right_end, F function = {}, Proj proj = {},
      RightProj right_proj = {}, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    return run(sequence_of(left, left_end), sequence_of(right, right_end), function, proj, right_proj, how);
  }

  // As many elements from `right` on.
  template <class I, class End, std::random_access_iterator J, class F = standard, class Proj = std::identity,
            class RightProj = std::identity>
    requires iterator_bounds<I, End> && compared_by<I, J, F, standard, Proj, RightProj> &&
             (Algorithm::takes_as_many) && (!iterator_bounds<J, F>)
  auto operator()(
      I left, End left_end, J right, F function = {}, Proj proj = {}, RightProj right_proj = {},
      const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, Algorithm::name);
    const auto all = sequence_of(left, left_end);
    return run(all, elements<J>{right, all.size}, function, proj, right_proj, how);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_elements<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      constexpr auto second = require_second<n, A...>();
      if constexpr (second.arguments != 0) {
        refuse_function<second.arguments, typename decltype(sequence)::value,
                        typename decltype(second)::value, A...>();
      }
    }
  }

 private:
  template <std::size_t N, class V, class W, class... A>
  static consteval void refuse_function() {
    using F = argument<N, A...>;
    if constexpr (std::is_void_v<F> || option<F>) {
      static_assert(never<A...>,
                    "sennit: elements of the two sequences cannot be compared by the algorithm's own "
                    "operator, < or ==; give a function, as in [](const T& a, const U& b) { ... }");
    } else if constexpr (body_with_state<F, V, W>) {
      refuse_state<F, V, W>();
    } else if constexpr (predicate_of<F, V, W> || !std::is_void_v<argument<N + 1, A...>>) {
      refuse_projection<N + 1, V, A...>();
    } else {
      static_assert(never<A...>, "sennit: the function cannot be called with an element of each sequence, or "
                                 "gives no bool; give one as [](const T& a, const U& b) { ... }");
    }
  }

  template <class Left, class Right, class F, class Proj, class RightProj>
  static auto run(const Left& left, const Right& right, F& given, Proj& proj, RightProj& right_proj,
                  const loop_options& how) {
    auto&& function = given_or_default<standard>(given);
    auto&& project = given_or_default<std::identity>(proj);
    auto&& project_right = given_or_default<std::identity>(right_proj);
    using V = typename Left::value;
    using W = typename Right::value;
    refuse_state<Proj, V>();
    refuse_state<RightProj, W>();
    return Algorithm::template run<Engine>(left, right, function, project, project_right,
                                           options_among(given, proj, right_proj, how));
  }
};

}  // namespace sennit::detail
