// SPDX-License-Identifier: Apache-2.0
// parallel_transform, parallel_copy, parallel_fill: loops that write one element in each iteration. Others of the kind:
// algorithm/replace.hpp and algorithm/rearrange.hpp.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/overlap.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
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
#include <source_location>
#include <type_traits>

namespace sennit {
namespace detail {

// The result of a function for elements.
template <class F, class... V>
using transformed = std::invoke_result_t<F&, V...>;
template <class F, class... V>
concept transformation = std::invocable<F&, V...> && !std::is_void_v<transformed<F, V...>>;

template <class F, class V>
consteval bool returns_nothing() {
  if constexpr (std::invocable<F&, V>) return std::is_void_v<std::invoke_result_t<F&, V>>;
  return false;
}

template <class Engine, class Source, class Out, class F>
void transform(const Source& source, const elements<Out>& target, F& f, const loop_options& how) {
  refuse_state<F, typename Source::value>();
  Engine::for_positions(
      source.size,
      [&](position from, position to, auto gate) {
        Out o = target.at(from);
        const auto begin = source.at(from);
        const auto end = source.at(to);
        auto i = begin;
        do {
          *o = detail::invoke(f, *i);
          ++i, ++o;
        } while (goes_on(i, begin, end, gate));
        return from + static_cast<position>(i - begin);
      },
      how);
}

template <class Engine, class Left, class Right, class Out, class F>
void transform(const Left& left, const Right& right, const elements<Out>& target, F& f,
               const loop_options& how) {
  refuse_state<F, typename Left::value, typename Right::value>();
  Engine::for_positions(
      target.size,
      [&](position from, position to, auto gate) {
        Out o = target.at(from);
        const auto begin = left.at(from);
        const auto end = left.at(to);
        auto i = begin;
        auto j = right.at(from);
        do {
          *o = detail::invoke(f, *i, *j);
          ++i, ++j, ++o;
        } while (goes_on(i, begin, end, gate));
        return from + static_cast<position>(i - begin);
      },
      how);
}

// Copies in chunks by the standard library, which uses memmove where that is possible.
template <class Engine, class Source, class Out>
void copy(const Source& source, const elements<Out>& target, const loop_options& how) {
  Engine::for_positions(
      source.size,
      [&](position from, position to) { std::ranges::copy(source.at(from), source.at(to), target.at(from)); },
      how);
}

template <class Engine, class Target, class T>
void fill(const Target& target, const T& value, const loop_options& how) {
  Engine::for_positions(
      target.size,
      [&](position from, position to) { std::ranges::fill(target.at(from), target.at(to), value); }, how);
}

// The destination for all sources. Throws std::invalid_argument for a range of fewer elements.
template <class D, class... Sources>
auto target_of(D& out, position n, const char* algorithm, [[maybe_unused]] std::source_location where,
               [[maybe_unused]] const Sources&... sources) {
  const elements<typename destination_of<D>::iterator> target{begin_of(out, n, algorithm), n};
#if SENNIT_CHECKED
  (expect_apart(sources, target, algorithm, where), ...);
#endif
  return target;
}

// The forms of parallel_transform, listed below.
template <class Engine>
struct transform_calls {
  template <countable_range R, class Out, class F>
    requires transformation<F, std::ranges::range_reference_t<R>> &&
             destination<Out, transformed<F, std::ranges::range_reference_t<R>>>
  void operator()(R&& in, Out&& out, F&& f, const loop_options& how = {},
                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_transform");
    const auto source = sequence_of(in);
    detail::transform<Engine>(source, target_of(out, source.size, "parallel_transform", where, source), f,
                              how);
  }
  template <class It, class End, class Out, class F>
    requires iterator_bounds<It, End> && transformation<F, std::iter_reference_t<It>> &&
             destination<Out, transformed<F, std::iter_reference_t<It>>>
  void operator()(It first, End last, Out&& out, F&& f, const loop_options& how = {},
                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_transform");
    const auto source = sequence_of(first, last);
    detail::transform<Engine>(source, target_of(out, source.size, "parallel_transform", where, source), f,
                              how);
  }

  template <countable_range Left, countable_range Right, class Out, class F>
    requires transformation<F, std::ranges::range_reference_t<Left>, std::ranges::range_reference_t<Right>> &&
             destination<Out, transformed<F, std::ranges::range_reference_t<Left>,
                                          std::ranges::range_reference_t<Right>>>
  void operator()(Left&& left, Right&& right, Out&& out, F&& f, const loop_options& how = {},
                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_transform");
    auto a = sequence_of(left);
    auto b = sequence_of(right);
    a.size = b.size = std::min(a.size, b.size);
    detail::transform<Engine>(a, b, target_of(out, a.size, "parallel_transform", where, a, b), f, how);
  }
  template <class It, class End, std::random_access_iterator Second, class Out, class F>
    requires iterator_bounds<It, End> &&
             transformation<F, std::iter_reference_t<It>, std::iter_reference_t<Second>> &&
             destination<Out, transformed<F, std::iter_reference_t<It>, std::iter_reference_t<Second>>>
  void operator()(It first, End last, Second second, Out&& out, F&& f, const loop_options& how = {},
                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_transform");
    const auto a = sequence_of(first, last);
    const elements<Second> b{second, a.size};
    detail::transform<Engine>(a, b, target_of(out, a.size, "parallel_transform", where, a, b), f, how);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_sequence<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      using V = typename decltype(sequence)::value;
      // With one input, the function is the last argument or the second to last.
      using F = argument<n + 1, A...>;
      using G = argument<n + 2, A...>;
      if constexpr (n == 2 && std::integral<plain_argument<0, A...>>) {
        static_assert(never<A...>, "parallel_transform: the input is two integers; to transform indices, "
                                   "give std::views::iota(first, "
                                   "last), or call parallel_for");
      } else if constexpr (std::is_void_v<F> || option<F>) {
        static_assert(
            never<A...>,
            "parallel_transform: there is no function; it comes after the input and the destination");
      } else if constexpr (returns_nothing<F, V>()) {
        static_assert(
            never<A...>,
            "parallel_transform: the function returns nothing that could be written; to change elements in "
            "place, call parallel_for");
      } else if constexpr (transformation<F, V>) {
        if constexpr (require_destination<n, transformed<F, V>, A...>()) refuse_the_rest<A...>();
      } else if constexpr (!std::is_void_v<G> && !option<G>) {
        if constexpr (require_destination<n + 1, V, A...>()) {
          static_assert(never<A...>, "parallel_transform: the function cannot be called with an element of "
                                     "each of the two inputs, or "
                                     "what it returns cannot be written to the destination");
        }
      } else if constexpr (require_destination<n, V, A...>()) {
        static_assert(never<A...>, "parallel_transform: the function, after the destination, cannot be "
                                   "called with an element of the "
                                   "input");
      }
    }
  }
};

// The forms of parallel_copy, listed below.
template <class Engine>
struct copy_calls {
  template <countable_range R, class Out>
    requires destination<Out, std::ranges::range_reference_t<R>>
  void operator()(R&& in, Out&& out, const loop_options& how = {},
                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_copy");
    const auto source = sequence_of(in);
    detail::copy<Engine>(source, target_of(out, source.size, "parallel_copy", where, source), how);
  }
  template <class It, class End, class Out>
    requires iterator_bounds<It, End> && destination<Out, std::iter_reference_t<It>>
  void operator()(It first, End last, Out&& out, const loop_options& how = {},
                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_copy");
    const auto source = sequence_of(first, last);
    detail::copy<Engine>(source, target_of(out, source.size, "parallel_copy", where, source), how);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_sequence<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n == 2 && std::integral<plain_argument<0, A...>>) {
      static_assert(never<A...>,
                    "parallel_copy: the input is two integers; give std::views::iota(first, last)");
    } else if constexpr (n != 0) {
      if constexpr (require_destination<n, typename decltype(sequence)::value, A...>())
        refuse_the_rest<A...>();
    }
  }
};

// The forms of parallel_fill, listed below.
template <class Engine>
struct fill_calls {
  template <countable_range R, class T>
    requires(!option<T>) && destination<R, const T&>
  void operator()(R&& range, const T& value, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_fill");
    detail::fill<Engine>(sequence_of(range), value, how);
  }
  template <class It, class End, class T>
    requires iterator_bounds<It, End> && (!option<T>) && destination<It, const T&>
  void operator()(It first, End last, const T& value, const loop_options& how = {} SENNIT_WHERE) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_fill");
    detail::fill<Engine>(sequence_of(first, last), value, how);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_sequence<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      using value = argument<n, A...>;
      if constexpr (std::is_void_v<value> || option<value>) {
        static_assert(never<A...>, "parallel_fill: there is no value to fill the elements with");
      } else if constexpr (require_destination<0, const value&, A...>()) {
        refuse_the_rest<A...>();
      }
    }
  }
};

}  // namespace detail

// Writes out[i] = f(in[i]), or f(left[i], right[i]) as long as both have elements.
//
//   parallel_transform(range, out, f, how = {})                random-access, sized
//   parallel_transform(first, last, out, f, how = {})          two iterators, or one and a number
//   parallel_transform(left, right, out, f, how = {})          two ranges
//   parallel_transform(first, last, second, out, f, how = {})  as many elements from `second` on
//
// `out` is an iterator with enough room, or a range. It may be the begin of an input, but must not overlap
// an input in any other way; the checked variant of the library ends the program if it does. For a function
// of the index, transform a std::views::iota.
//
// Several threads call f at once. Throws the exception of the lowest call that threw; later elements may
// have been written. Throws std::invalid_argument before any call if `out` is a range with too few elements,
// and sennit::cancelled in a cancelled region. Thread-safety: any thread may call it. Cost: as parallel_for;
// the inner loop is a plain loop.
//
// Example:
//   #include <cmath>
//   #include <vector>
//
//   void roots(const std::vector<double>& x, std::vector<double>& y) {
//     sennit::parallel_transform(x, y, [](double v) { return std::sqrt(v); });
//   }
//   void sums(const std::vector<double>& x, const std::vector<double>& y, std::vector<double>& z) {
//     sennit::parallel_transform(x, y, z, std::plus<>());
//   }
inline constexpr detail::algorithm<detail::transform_calls<detail::in_parallel>> parallel_transform{};

// Copies elements to `out`, an iterator or a range. The rules for overlap, exceptions, threads and cost are
// those of parallel_transform.
//
//   parallel_copy(range, out, how = {})        random-access, sized
//   parallel_copy(first, last, out, how = {})  two iterators, or one and a number
//
// Example:
//   #include <span>
//
//   void save(std::span<const double> state, std::span<double> copy) { sennit::parallel_copy(state, copy); }
inline constexpr detail::algorithm<detail::copy_calls<detail::in_parallel>> parallel_copy{};

// Assigns the value to each element. It also places the pages of fresh memory on the nodes of the workers
// that will use them. Exceptions, threads and cost are as with parallel_transform.
//
//   parallel_fill(range, value, how = {})        random-access, sized
//   parallel_fill(first, last, value, how = {})  two iterators, or one and a number
//
// Example:
//   #include <span>
//
//   void clear(std::span<double> x) { sennit::parallel_fill(x, 0.0); }
inline constexpr detail::algorithm<detail::fill_calls<detail::in_parallel>> parallel_fill{};

}  // namespace sennit
