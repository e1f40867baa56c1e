// SPDX-License-Identifier: Apache-2.0
// parallel_generate, parallel_tabulate, parallel_replace, parallel_adjacent_difference and their kin: loops that compute
// each element anew. Transformations, copies and fills: sennit/parallel_transform.hpp.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/forms.hpp>
#include <sennit/detail/algorithm/plain_forms.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/held.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>

namespace sennit {
namespace detail {

struct generating {
  static constexpr const char* name = "parallel_generate";
  template <class It, class F>
  static constexpr bool takes = std::invocable<F&> && destination<It, std::invoke_result_t<F&>>;
  template <class Engine, class It, class F>
  static void run(const elements<It>& all, F& f, const loop_options& how) {
    refuse_state<F>();
    Engine::for_positions(
        all.size,
        [&](position from, position to, auto gate) {
          auto&& value = nearby(f);
          const It begin = all.at(from);
          const It end = all.at(to);
          It i = begin;
          do *i = detail::invoke(value);
          while (goes_on(++i, begin, end, gate));
          return from + static_cast<position>(i - begin);
        },
        how);
  }
};
struct tabulating {
  static constexpr const char* name = "parallel_tabulate";
  template <class It, class F>
  static constexpr bool takes =
      std::invocable<F&, std::size_t> && destination<It, std::invoke_result_t<F&, std::size_t>>;
  template <class Engine, class It, class F>
  static void run(const elements<It>& all, F& f, const loop_options& how) {
    refuse_state<F, std::size_t>();
    Engine::for_positions(
        all.size,
        [&](position from, position to, auto gate) {
          auto&& value_at = nearby(f);
          It i = all.at(from);
          position p = from;
          do {
            *i = detail::invoke(value_at, static_cast<std::size_t>(p));
            ++i;
          } while (goes_on(++p, from, to, gate));
          return p;
        },
        how);
  }
};

template <class It, class F>
concept selects = std::predicate<F&, std::iter_reference_t<It>>;

// A small value is copied, as a store to an element could change it otherwise, for all that compilers know. Mostly, an
// element is another one; the path of those that stay has one jump then, not two.
template <class T>
struct equal_to_held {
  held<const T> value;
  template <class V>
  SENNIT_INLINE bool operator()(const V& element) const {
    return __builtin_expect(static_cast<bool>(element == value), false);
  }
};

struct replacing_if {
  static constexpr const char* name = "parallel_replace_if";
  template <class It, class F, class T>
  static constexpr bool takes = selects<It, F> && (!option<T>) && destination<It, const T&>;
  template <class Engine, class It, class F, class T>
  static void run(const elements<It>& all, F& predicate, const T& value, const loop_options& how) {
    refuse_state<F, std::iter_reference_t<It>>();
    Engine::for_positions(
        all.size,
        [&](position from, position to) {
          auto&& test = nearby(predicate);
          auto&& replacement = nearby(value);
          for (It i = all.at(from), end = all.at(to); i != end; ++i) {
            if (detail::invoke(test, *i)) *i = replacement;
          }
        },
        how);
  }
};
struct replacing {
  static constexpr const char* name = "parallel_replace";
  template <class It, class Old, class T>
  static constexpr bool takes =
      (!option<T>) && compares_with_value<std::iter_reference_t<It>, Old> && destination<It, const T&>;
  template <class Engine, class It, class Old, class T>
  static void run(const elements<It>& all, const Old& old, const T& value, const loop_options& how) {
    const equal_to_held<Old> equal{old};
    replacing_if::run<Engine>(all, equal, value, how);
  }
};

struct replace_copying_if {
  static constexpr const char* name = "parallel_replace_copy_if";
  template <class It, class Out, class F, class T>
  static constexpr bool takes = selects<It, F> && (!option<T>) && destination<Out, const T&> &&
                                destination<Out, std::iter_reference_t<It>>;
  template <class Engine, class It, class Out, class F, class T>
  static void run(const elements<It>& in, const elements<Out>& out, F& predicate, const T& value,
                  const loop_options& how) {
    refuse_state<F, std::iter_reference_t<It>>();
    Engine::for_positions(
        in.size,
        [&](position from, position to) {
          auto&& test = nearby(predicate);
          auto&& replacement = nearby(value);
          Out o = out.at(from);
          for (It i = in.at(from), end = in.at(to); i != end; ++i, ++o) {
            if (detail::invoke(test, *i)) {
              *o = replacement;
            } else {
              *o = *i;
            }
          }
        },
        how);
  }
};
struct replace_copying {
  static constexpr const char* name = "parallel_replace_copy";
  template <class It, class Out, class Old, class T>
  static constexpr bool takes = compares_with_value<std::iter_reference_t<It>, Old> && (!option<T>) &&
                                destination<Out, const T&> && destination<Out, std::iter_reference_t<It>>;
  template <class Engine, class It, class Out, class Old, class T>
  static void run(const elements<It>& in, const elements<Out>& out, const Old& old, const T& value,
                  const loop_options& how) {
    const equal_to_held<Old> equal{old};
    replace_copying_if::run<Engine>(in, out, equal, value, how);
  }
};

struct differing {
  static constexpr const char* name = "parallel_adjacent_difference";
  using standard = std::minus<>;
  template <class It, class F>
  using difference = std::invoke_result_t<F&, std::iter_reference_t<It>, std::iter_reference_t<It>>;
  template <class It, class Out, class F>
  static constexpr bool takes =
      std::invocable<F&, std::iter_reference_t<It>, std::iter_reference_t<It>> &&
      destination<Out, std::iter_reference_t<It>> && destination<Out, difference<It, F>>;
  template <class Engine, class It, class Out, class F>
  static void run(const elements<It>& in, const elements<Out>& out, F& f, const loop_options& how) {
    refuse_state<F, std::iter_reference_t<It>, std::iter_reference_t<It>>();
    Engine::for_positions(
        in.size,
        [&](position from, position to) {
          if (from == 0) *out.at(0) = *in.at(from++);
          auto&& difference_of = nearby(f);
          Out o = out.at(from);
          for (It i = in.at(from), end = in.at(to); i != end; ++i, ++o)
            *o = detail::invoke(difference_of, *i, *(i - 1));
        },
        how);
  }
};

template <class Engine>
using generate_calls = sequence_forms<Engine, generating, 1>;
template <class Engine>
using tabulate_calls = sequence_forms<Engine, tabulating, 1>;
template <class Engine>
using replace_calls = sequence_forms<Engine, replacing, 2>;
template <class Engine>
using replace_if_calls = sequence_forms<Engine, replacing_if, 2>;
template <class Engine>
using replace_copy_calls = output_forms<Engine, replace_copying, 2>;
template <class Engine>
using replace_copy_if_calls = output_forms<Engine, replace_copying_if, 2>;
template <class Engine>
using adjacent_difference_calls = output_forms<Engine, differing, 1>;

}  // namespace detail

// What all algorithms here have in common: they take a random-access, sized range, or two iterators, or an iterator
// and a number of elements. Destinations are iterators with enough room, or ranges, and must not overlap the input.
// Algorithms with a destination return the end of the output. Options are the last argument, and may not stand in
// the place of others.
//
// Several threads call functions at once, each once for each element. Throws the exception of the lowest element for which
// there was one, std::invalid_argument before any call if a destination is a range with too few elements, and
// sennit::cancelled in a cancelled region; elements may have been written then. Thread-safety: any thread may call them.
// Cost: as parallel_for; no memory.

// Assigns f() to each element, in any order; or f(i) to the element at i.
//
//   parallel_generate(range, f, how = {})
//   parallel_tabulate(range, f, how = {})
//
// Example:
//   #include <vector>
//
//   void squares(std::vector<long>& x) {
//     sennit::parallel_tabulate(x, [](std::size_t i) { return static_cast<long>(i * i); });
//   }
//   void clear(std::vector<long>& x) { sennit::parallel_generate(x, [] { return 0L; }); }
inline constexpr detail::algorithm<detail::generate_calls<detail::in_parallel>> parallel_generate{};
inline constexpr detail::algorithm<detail::tabulate_calls<detail::in_parallel>> parallel_tabulate{};

// Replaces elements that are equal to a value, or for which pred(element) holds, by another value, in place or in a
// copy. Both values must be none of the elements.
//
//   parallel_replace(range, old, value, how = {})
//   parallel_replace_if(range, pred, value, how = {})
//   parallel_replace_copy(range, out, old, value, how = {})
//   parallel_replace_copy_if(range, out, pred, value, how = {})
//
// Example:
//   #include <cmath>
//   #include <vector>
//
//   void clean(std::vector<double>& x) {
//     sennit::parallel_replace_if(x, [](double v) { return std::isnan(v); }, 0.0);
//   }
//   void rename(std::vector<int>& x, std::vector<int>& out) {
//     sennit::parallel_replace(x, 1, 2);
//     sennit::parallel_replace_copy(x, out, 2, 3);
//     sennit::parallel_replace_copy_if(x, out, [](int v) { return v < 0; }, 0);
//   }
inline constexpr detail::algorithm<detail::replace_calls<detail::in_parallel>> parallel_replace{};
inline constexpr detail::algorithm<detail::replace_if_calls<detail::in_parallel>> parallel_replace_if{};
inline constexpr detail::algorithm<detail::replace_copy_calls<detail::in_parallel>> parallel_replace_copy{};
inline constexpr detail::algorithm<detail::replace_copy_if_calls<detail::in_parallel>>
    parallel_replace_copy_if{};

// Writes the first element, and f(element, element before it) for each other one. f is std::minus<>() if it is left
// out.
//
//   parallel_adjacent_difference(range, out, f = std::minus<>(), how = {})
//
// Example:
//   #include <vector>
//
//   void steps(const std::vector<int>& x, std::vector<int>& out) {
//     sennit::parallel_adjacent_difference(x, out);
//   }
inline constexpr detail::algorithm<detail::adjacent_difference_calls<detail::in_parallel>>
    parallel_adjacent_difference{};

}  // namespace sennit
