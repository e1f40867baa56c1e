// SPDX-License-Identifier: Apache-2.0
// parallel_scan, parallel_exclusive_scan: the combined values of all prefixes of a sequence. Other scans:
// algorithm/scans.hpp.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/combine.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/laws.hpp>
#include <sennit/detail/algorithm/operations.hpp>
#include <sennit/detail/algorithm/overlap.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/scan.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

// combine(T, element) and combine(T, T) both return a T.
template <class F, class T, class V>
concept scan_operation =
    !never_associates<F> && std::invocable<F&, const T&, V> &&
    std::convertible_to<std::invoke_result_t<F&, const T&, V>, T> && std::invocable<F&, const T&, T> &&
    std::convertible_to<std::invoke_result_t<F&, const T&, T>, T> &&
    !drops_fractions<std::invoke_result_t<F&, const T&, V>, T> &&
    !drops_fractions<std::invoke_result_t<F&, const T&, T>, T>;

// As in a reduction: an unknown operation on elements of another type than the prefixes is probably a fold.
template <class F, class T, class V, class Element>
concept scan_over_elements = std::copyable<T> && std::convertible_to<V, T> && scan_operation<F, T, V> &&
                             (known_to_associate<F> || std::same_as<T, Element>);

template <class T, class In, class Out, class Combine>
void expect_scannable([[maybe_unused]] const elements<In>& in, [[maybe_unused]] const elements<Out>& out,
                      [[maybe_unused]] Combine& combine, [[maybe_unused]] const char* algorithm,
                      [[maybe_unused]] std::source_location where) {
#if SENNIT_CHECKED
  expect_apart(in, out, algorithm, where);
  if constexpr (std::same_as<T, std::iter_value_t<In>>) expect_associative<T>(in, combine, algorithm, where);
#endif
}

// `initial` is a T before the first element, or nothing.
template <class T, class Engine, class In, class D, class Combine, class... Initial>
void inclusive_scan(const elements<In>& in, D& out, Combine& combine, const loop_options& how,
                    std::source_location where, Initial&&... initial) {
  refuse_combination_with_state<Combine, const T&, T>();
  using target = typename destination_of<D>::iterator;
  const elements<target> to{begin_of(out, in.size, "parallel_scan"), in.size};
  expect_scannable<T>(in, to, combine, "parallel_scan", where);
  if constexpr (Engine::serial) {
    const auto scan_all = [&](position, position) {
      if (in.size == 0) return;
      if constexpr (sizeof...(Initial) == 0) {
        scan_from(in.at(0), in.at(in.size), to.at(0), static_cast<T>(*in.at(0)), combine);
      } else {
        scan_from(in.at(0), in.at(in.size), to.at(0), combine_scan<T>(combine, initial..., *in.at(0)),
                  combine);
      }
    };
    Engine::for_positions(1, scan_all, how);
  } else {
    scan<scan_kind::inclusive, In, target, T, Combine>(in, to, combine, how,
                                                       std::forward<Initial>(initial)...)
        .run();
  }
}

template <class Engine, class In, class D, class T, class Combine>
T exclusive_scan(const elements<In>& in, D& out, T initial, Combine& combine, const loop_options& how,
                 std::source_location where) {
  refuse_combination_with_state<Combine, const T&, T>();
  using target = typename destination_of<D>::iterator;
  const elements<target> to{begin_of(out, in.size, "parallel_exclusive_scan"), in.size};
  expect_scannable<T>(in, to, combine, "parallel_exclusive_scan", where);
  if constexpr (Engine::serial) {
    const auto scan_all = [&](position, position) {
      initial = scan_before(in.at(0), in.at(in.size), to.at(0), std::move(initial), combine);
    };
    Engine::for_positions(1, scan_all, how);
    return initial;
  } else {
    scan<scan_kind::exclusive, In, target, T, Combine> all(in, to, combine, how, std::move(initial));
    all.run();
    return std::move(all).total();
  }
}

template <class T, class F, class V, class Element, class... A>
consteval void refuse_scan_operation() {
  if constexpr (!std::invocable<F&, T, T> && !std::invocable<F&, const T&, V> && std::convertible_to<F, T>) {
    static_assert(
        never<A...>,
        "sennit: a value stands where the scan's operation is to be; the operation comes first, as in "
        "parallel_scan(in, out, std::plus<>(), first)");
  } else if constexpr (drops_fractions<V, T> || gives_fractions<F, T, V> || gives_fractions<F, T>) {
    static_assert(never<A...>, "sennit: the scan's first value is an integer, so the fraction of each prefix "
                               "would be lost; give the first value the type of the prefixes, as in 0.0");
  } else if constexpr (never_associates<F>) {
    static_assert(never<A...>, "sennit: the scan's operation is not associative, as it has to be");
  } else if constexpr (forgets_to_return<F, T, V> || forgets_to_return<F, T&, V>) {
    static_assert(never<A...>, "sennit: the scan's operation returns nothing; let it return the value of "
                               "both, [](T left, T right) -> T");
  } else if constexpr (!std::copyable<T> || !std::convertible_to<V, T>) {
    static_assert(never<A...>,
                  "sennit: the scan's elements are no prefixes, which have the type of the first value, or "
                  "of the elements, and are copied; transform the elements to that type, by "
                  "std::views::transform, say");
  } else if constexpr (scan_operation<F, T, V>) {
    static_assert(
        never<A...>,
        "sennit: the scan's elements are of another type than its first value, so the operation may be a "
        "fold; transform the elements to that type, as by std::views::transform, and combine two of those");
  } else {
    static_assert(never<A...>, "sennit: the scan's operation does not combine two prefixes into one; give "
                               "one as [](T left, T right) -> T");
  }
}

// `Value` and `Operation`: the positions of the first value and of the operation among the arguments after
// the destination.
template <std::size_t Value, std::size_t Operation, class... A>
consteval void refuse_scan() {
  constexpr auto sequence = require_sequence<A...>();
  constexpr std::size_t n = sequence.arguments;
  if constexpr (n != 0) {
    using found = decltype(sequence);
    using V = typename found::value;
    using Element = typename found::element;
    using given = std::decay_t<argument<n + 1 + Value, A...>>;
    constexpr bool has_first = !std::is_void_v<given> && !option<given>;
    using T = std::conditional_t<has_first, given, Element>;
    using operation = argument<n + 1 + Operation, A...>;
    constexpr bool has_operation = !std::is_void_v<operation> && !option<operation>;
    using F = std::conditional_t<has_operation, operation, std::plus<>>;
    if constexpr (!require_destination<n, const Element&, A...>()) {
    } else if constexpr (has_first && has_operation &&
                         !std::invocable<operation, const Element&, const Element&> &&
                         std::invocable<std::add_lvalue_reference_t<given>, const Element&, const Element&>) {
      static_assert(
          never<A...>,
          "sennit: the scan's first value and its operation stand in each other's place: it is "
          "parallel_scan(in, out, operation, first), and parallel_exclusive_scan(in, out, first, operation), "
          "as in std");
    } else if constexpr (Value == 0 && !has_first) {
      static_assert(never<A...>,
                    "parallel_exclusive_scan: there is no first value, which comes after the destination; "
                    "parallel_scan takes none");
    } else if constexpr (scan_over_elements<F, T, V, Element>) {
      refuse_the_rest<A...>();
    } else {
      refuse_scan_operation<T, F, V, Element, A...>();
    }
  }
}

// The forms of parallel_scan, listed below.
template <class Engine>
struct inclusive_scan_calls {
  template <countable_range R, class Out, class Combine = std::plus<>,
            class T = std::ranges::range_value_t<R>>
    requires scan_over_elements<Combine, T, std::ranges::range_reference_t<R>, T> &&
             destination<Out, const T&>
  void operator()(R&& in, Out&& out, Combine&& combine = {}, const loop_options& how = {},
                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_scan");
    inclusive_scan<T, Engine>(sequence_of(in), out, combine, how, where);
  }
  template <class It, class End, class Out, class Combine = std::plus<>, class T = std::iter_value_t<It>>
    requires iterator_bounds<It, End> && scan_over_elements<Combine, T, std::iter_reference_t<It>, T> &&
             destination<Out, const T&>
  void operator()(It first, End last, Out&& out, Combine&& combine = {}, const loop_options& how = {},
                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_scan");
    inclusive_scan<T, Engine>(sequence_of(first, last), out, combine, how, where);
  }

  template <countable_range R, class Out, class Combine, class T>
    requires(!option<T>) &&
            scan_over_elements<Combine, T, std::ranges::range_reference_t<R>,
                               std::ranges::range_value_t<R>> &&
            destination<Out, const T&>
  void operator()(R&& in, Out&& out, Combine&& combine, T initial, const loop_options& how = {},
                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_scan");
    inclusive_scan<T, Engine>(sequence_of(in), out, combine, how, where, std::move(initial));
  }
  template <class It, class End, class Out, class Combine, class T>
    requires iterator_bounds<It, End> && (!option<T>) &&
             scan_over_elements<Combine, T, std::iter_reference_t<It>, std::iter_value_t<It>> &&
             destination<Out, const T&>
  void operator()(It first, End last, Out&& out, Combine&& combine, T initial, const loop_options& how = {},
                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_scan");
    inclusive_scan<T, Engine>(sequence_of(first, last), out, combine, how, where, std::move(initial));
  }

  template <class... A>
  static consteval void refuse() {
    refuse_scan<1, 0, A...>();
  }
};

// The forms of parallel_exclusive_scan, listed below.
template <class Engine>
struct exclusive_scan_calls {
  template <countable_range R, class Out, class T, class Combine = std::plus<>>
    requires scan_over_elements<Combine, T, std::ranges::range_reference_t<R>,
                                std::ranges::range_value_t<R>> &&
             destination<Out, T>
  T operator()(R&& in, Out&& out, T initial, Combine&& combine = {}, const loop_options& how = {},
               std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_exclusive_scan");
    return exclusive_scan<Engine>(sequence_of(in), out, std::move(initial), combine, how, where);
  }
  template <class It, class End, class Out, class T, class Combine = std::plus<>>
    requires iterator_bounds<It, End> &&
             scan_over_elements<Combine, T, std::iter_reference_t<It>, std::iter_value_t<It>> &&
             destination<Out, T>
  T operator()(It first, End last, Out&& out, T initial, Combine&& combine = {}, const loop_options& how = {},
               std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_exclusive_scan");
    return exclusive_scan<Engine>(sequence_of(first, last), out, std::move(initial), combine, how, where);
  }

  template <class... A>
  static consteval void refuse() {
    refuse_scan<0, 1, A...>();
  }
};

}  // namespace detail

// The inclusive scan: out[i] = combine(... combine(in[0], in[1]) ..., in[i]), in any bracketing.
//
//   parallel_scan(range, out, combine = std::plus<>(), how = {})        random-access, sized
//   parallel_scan(range, out, combine, initial, how = {})               beginning with combine(initial, in[0])
//
// Two iterators, or an iterator and a number, may replace the range. The prefixes have the type of
// `initial`, or else the type of the elements. Precondition: combine is associative. It need not be
// commutative: the order is that of the elements. `out` is an iterator with enough room, or a range. It may
// be the begin of the input, but must not overlap the input in any other way, which the checked variant
// detects. The types for combine are as in parallel_reduce: an operation of the program on elements of
// another type than the prefixes does not compile.
//
// Several threads call combine at once: once for each element if one worker does everything, and at most
// about twice if several do. grain(n) makes blocks of n elements. Throws what combine(prefix, element) threw
// for the lowest such element, as the serial scan does; else what combining the sums of several elements
// threw. Throws what copying a value throws, std::invalid_argument if `out` is a range with too few
// elements, std::bad_alloc, and sennit::cancelled in a cancelled region. After an exception the contents of
// `out` are unspecified. Thread-safety: any thread may call it. Cost: one pass, and a second pass over the
// elements that other workers took. It allocates memory for the square root of the number of elements.
//
// Example:
//   #include <vector>
//
//   void running_total(std::vector<double>& x) { sennit::parallel_scan(x, x); }
//   void running_maximum(const std::vector<int>& x, std::vector<int>& y) {
//     sennit::parallel_scan(x, y, [](int a, int b) { return a < b ? b : a; });
//   }
inline constexpr detail::algorithm<detail::inclusive_scan_calls<detail::in_parallel>> parallel_scan{};

// The exclusive scan: out[0] = initial, out[i] = combine(... combine(initial, in[0]) ..., in[i - 1]).
// Returns the combination of `initial` and all elements, which would be the next prefix.
//
//   parallel_exclusive_scan(range, out, initial, combine = std::plus<>(), how = {})
//
// Two iterators, or an iterator and a number, may replace the range. The prefixes have the type of
// `initial`; if that is an integer type and combine returns floating-point numbers, the call does not
// compile. Everything else is as for parallel_scan.
//
// Example:
//   #include <vector>
//
//   long offsets(const std::vector<long>& sizes, std::vector<long>& begins) {
//     return sennit::parallel_exclusive_scan(sizes, begins, 0L);
//   }
inline constexpr detail::algorithm<detail::exclusive_scan_calls<detail::in_parallel>>
    parallel_exclusive_scan{};

}  // namespace sennit
