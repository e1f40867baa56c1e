// SPDX-License-Identifier: Apache-2.0
// parallel_transform_scan, parallel_transform_exclusive_scan, parallel_fold_scan, parallel_segmented_scan. The scans of the
// elements themselves: sennit/parallel_scan.hpp.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/construct_site.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>
#include <sennit/parallel_scan.hpp>
#include <sennit/parallel_transform.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

// What a function makes of the elements, computed when it is read.
template <class It, class F>
auto transformed_elements(const elements<It>& in, const F& f) {
  return std::ranges::transform_view(std::ranges::subrange(in.at(0), in.at(in.size)), f);
}

template <class F, class V>
using transformed_value = std::remove_cvref_t<std::invoke_result_t<F&, V>>;
template <class F, class V, class Combine, class T>
concept scans_transformed =
    !option<F> && transformation<F, V> && !option<T> &&
    scan_over_elements<Combine, T, std::invoke_result_t<F&, V>, transformed_value<F, V>>;

// `Operation` and `Function`: the places of these arguments behind the destination.
template <std::size_t Operation, std::size_t Function, class... A>
consteval void refuse_transform_scan() {
  constexpr auto sequence = require_sequence<A...>();
  constexpr std::size_t n = sequence.arguments;
  if constexpr (n != 0) {
    using V = typename decltype(sequence)::value;
    using F = argument<n + 1 + Function, A...>;
    if constexpr (std::is_void_v<F> || option<F> || std::is_void_v<argument<n + 1 + Operation, A...>>) {
      static_assert(
          never<A...>,
          "sennit: a transforming scan needs the operation, and behind it the function that makes values of "
          "elements, as in parallel_transform_scan(in, out, std::plus<>(), f)");
    } else if constexpr (!transformation<F, V>) {
      static_assert(never<A...>,
                    "sennit: the scan's function cannot be called with an element, or returns nothing");
    } else if constexpr (require_destination<n, transformed_value<F, V>, A...>()) {
      static_assert(
          never<A...>,
          "sennit: the scan's operation does not combine two of what the function makes of elements, or the "
          "first value is of another type; give an operation as [](T left, T right) -> T");
    }
  }
}

// The forms of parallel_transform_scan, listed below.
template <class Engine>
struct transform_scan_calls {
  template <countable_range R, class Out, class Combine, class F>
    requires scans_transformed<F, std::ranges::range_reference_t<R>, Combine,
                               transformed_value<F, std::ranges::range_reference_t<R>>> &&
             destination<Out, const transformed_value<F, std::ranges::range_reference_t<R>>&>
  void operator()(R&& in, Out&& out, Combine&& combine, F&& f, const loop_options& how = {},
                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_transform_scan");
    run<transformed_value<F, std::ranges::range_reference_t<R>>>(sequence_of(in), out, combine, f, how,
                                                                 where);
  }
  template <countable_range R, class Out, class Combine, class F, class T>
    requires scans_transformed<F, std::ranges::range_reference_t<R>, Combine, T> && destination<Out, const T&>
  void operator()(R&& in, Out&& out, Combine&& combine, F&& f, T initial, const loop_options& how = {},
                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_transform_scan");
    run<T>(sequence_of(in), out, combine, f, how, where, std::move(initial));
  }

  template <class... A>
  static consteval void refuse() {
    refuse_transform_scan<0, 1, A...>();
  }

 private:
  template <class T, class It, class Out, class Combine, class F, class... Initial>
  static void run(const elements<It>& in, Out& out, Combine& combine, F& f, const loop_options& how,
                  std::source_location where, Initial&&... initial) {
    refuse_state<F, std::iter_reference_t<It>>();
    auto to = begin_of(out, in.size, "parallel_transform_scan");
    auto view = transformed_elements(in, [&f](auto&& e) -> decltype(auto) { return detail::invoke(f, e); });
    inclusive_scan<T, Engine>(sequence_of(view), to, combine, how, where, std::forward<Initial>(initial)...);
  }
};

// The form of parallel_transform_exclusive_scan, listed below.
template <class Engine>
struct transform_exclusive_scan_calls {
  template <countable_range R, class Out, class T, class Combine, class F>
    requires scans_transformed<F, std::ranges::range_reference_t<R>, Combine, T> && destination<Out, T>
  T operator()(R&& in, Out&& out, T initial, Combine&& combine, F&& f, const loop_options& how = {},
               std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_transform_exclusive_scan");
    refuse_state<F, std::ranges::range_reference_t<R>>();
    const auto source = sequence_of(in);
    auto to = begin_of(out, source.size, "parallel_transform_exclusive_scan");
    auto view =
        transformed_elements(source, [&f](auto&& e) -> decltype(auto) { return detail::invoke(f, e); });
    return exclusive_scan<Engine>(sequence_of(view), to, std::move(initial), combine, how, where);
  }

  template <class... A>
  static consteval void refuse() {
    refuse_transform_scan<1, 2, A...>();
  }
};

// An element that becomes a result by a fold with the first value.
template <class T, class V, class Fold>
struct element_to_fold {
  V value;
  Fold* fold;
  const T* first;

  explicit operator T() const { return (*this)(*first); }
  T operator()(const T& left) const {
    return static_cast<T>(detail::invoke(*fold, left, static_cast<V>(value)));
  }
};
// Folds an element into a result, and combines two results.
template <class T, class V, class Fold, class Combine>
struct folding_or_combining {
  Combine* combine;

  T operator()(const T& left, const element_to_fold<T, V, Fold>& right) const { return right(left); }
  T operator()(const T& left, const T& right) const {
    return static_cast<T>(detail::invoke(*combine, left, right));
  }
};

template <class T, class Fold, class Combine, class V>
concept scans_folded = std::copyable<T> && !option<Fold> && !option<Combine> && gives_both<Fold, T, V> &&
                       gives_both<Combine, T> && !never_associates<Combine> && !gives_fractions<Fold, T, V> &&
                       !gives_fractions<Combine, T>;

// The form of parallel_fold_scan, listed below.
template <class Engine>
struct fold_scan_calls {
  template <countable_range R, class Out, class T, class Fold, class Combine>
    requires scans_folded<T, Fold, Combine, std::ranges::range_reference_t<R>> && destination<Out, const T&>
  void operator()(R&& in, Out&& out, T first, Fold&& fold, Combine&& combine, const loop_options& how = {},
                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_fold_scan");
    using V = std::ranges::range_reference_t<R>;
    refuse_combination_with_state<Fold, const T&, V>();
    refuse_combination_with_state<Combine, const T&, T>();
    const auto source = sequence_of(in);
    auto to = begin_of(out, source.size, "parallel_fold_scan");
    using step = std::remove_reference_t<Fold>;
    using element = element_to_fold<T, V, step>;
    const folding_or_combining<T, V, step, std::remove_reference_t<Combine>> both{&combine};
    auto view = transformed_elements(
        source, [&fold, &first](V value) { return element{static_cast<V>(value), &fold, &first}; });
    inclusive_scan<T, Engine>(sequence_of(view), to, both, how, where, T(first));
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_sequence<A...>();
    constexpr std::size_t n = sequence.arguments;
    if constexpr (n != 0) {
      using T = std::decay_t<argument<n + 1, A...>>;
      if constexpr (std::is_void_v<T> || option<T> || std::is_void_v<argument<n + 3, A...>>) {
        static_assert(never<A...>,
                      "parallel_fold_scan: something is missing; call parallel_fold_scan(in, out, first, "
                      "fold, combine), where combine makes one of two results");
      } else if constexpr (require_destination<n, const T&, A...>()) {
        static_assert(
            never<A...>,
            "parallel_fold_scan: the fold does not make a result, of the first value's type, of a result and "
            "an element, or the combination does not make one of two results; both return it");
      }
    }
  }
};

// A prefix within a segment, and whether the segment begins in what it was made of.
template <class T>
struct segment_prefix {
  T value;
  bool begins;
};
template <class T, class Combine>
struct combining_segments {
  Combine* combine;

  segment_prefix<T> operator()(const segment_prefix<T>& left, const segment_prefix<T>& right) const {
    if (right.begins) return right;
    return {static_cast<T>(detail::invoke(*combine, left.value, right.value)), left.begins};
  }
};
// Where a prefix is written, without what is known of its segment.
template <class It>
struct segment_target {
  It at;

  template <class T>
  const segment_target& operator=(const segment_prefix<T>& prefix) const {
    *at = prefix.value;
    return *this;
  }
};

// The form of parallel_segmented_scan, listed below.
template <class Engine>
struct segmented_scan_calls {
  template <countable_range R, countable_range Flags, class Out, class Combine = std::plus<>,
            class T = std::ranges::range_value_t<R>>
    requires std::convertible_to<std::ranges::range_reference_t<Flags>, bool> &&
             (!option<Combine>) && scan_over_elements<Combine, T, std::ranges::range_reference_t<R>, T> &&
             destination<Out, const T&>
  void operator()(R&& in, Flags&& flags, Out&& out, Combine&& combine = {}, const loop_options& how = {},
                  std::source_location where = std::source_location::current()) const {
    SENNIT_SITE_IF(!Engine::serial, "parallel_segmented_scan");
    refuse_combination_with_state<Combine, const T&, T>();
    const auto source = sequence_of(in);
    const auto marks = elements{begin_of(flags, source.size, "parallel_segmented_scan"), source.size};
    const auto to = elements{begin_of(out, source.size, "parallel_segmented_scan"), source.size};
    expect_scannable<T>(source, to, combine, "parallel_segmented_scan", where);
    const auto positions = std::views::iota(position{0}, source.size);
    auto prefixes =
        positions | std::views::transform([&source, &marks](position p) {
          return segment_prefix<T>{static_cast<T>(*source.at(p)), static_cast<bool>(*marks.at(p))};
        });
    auto targets = positions | std::views::transform([&to](position p) {
                     return segment_target<decltype(to.at(p))>{to.at(p)};
                   });
    auto target = targets.begin();
    const combining_segments<T, std::remove_reference_t<Combine>> both{&combine};
    inclusive_scan<segment_prefix<T>, Engine>(sequence_of(prefixes), target, both, how, where);
  }

  template <class... A>
  static consteval void refuse() {
    constexpr auto sequence = require_sequence<A...>();
    if constexpr (sequence.arguments == 2) {
      static_assert(never<A...>,
                    "parallel_segmented_scan: it takes ranges: the elements, the flags, the destination");
    } else if constexpr (sequence.arguments == 1) {
      if constexpr (!countable_range<argument<1, A...>>) {
        static_assert(never<A...>,
                      "parallel_segmented_scan: there are no flags; a range of them comes after the "
                      "elements, and says of each element whether a segment begins with it");
      } else if constexpr (require_destination<2, const typename decltype(sequence)::element&, A...>()) {
        static_assert(never<A...>,
                      "parallel_segmented_scan: the flags are no bools, or the operation does not combine "
                      "two elements into one; give one as [](T left, T right) -> T");
      }
    }
  }
};

}  // namespace detail

// A scan of what a function makes of elements: out[i] = combine(... combine(f(in[0]), f(in[1])) ..., f(in[i])).
//
//   parallel_transform_scan(range, out, combine, f, how = {})
//   parallel_transform_scan(range, out, combine, f, initial, how = {})            beginning with initial
//   parallel_transform_exclusive_scan(range, out, initial, combine, f, how = {})  returns the next prefix
//
// The prefixes have the type of `initial`, or else that of what f returns. Everything else is as for parallel_scan and
// parallel_exclusive_scan. f is called once or twice for each element.
//
// Example:
//   #include <functional>
//   #include <string>
//   #include <vector>
//
//   void ends(const std::vector<std::string>& words, std::vector<std::size_t>& out) {
//     sennit::parallel_transform_scan(words, out, std::plus<>(), &std::string::size);
//   }
//   void begins(const std::vector<std::string>& words, std::vector<std::size_t>& out) {
//     sennit::parallel_transform_exclusive_scan(words, out, std::size_t{0}, std::plus<>(), &std::string::size);
//   }
//   void balances(const std::vector<int>& payments, std::vector<long>& out) {
//     sennit::parallel_fold_scan(payments, out, 0L, [](long sum, int payment) { return sum + payment; }, std::plus<>());
//   }
//   void totals_by_group(const std::vector<long>& x, const std::vector<char>& begins, std::vector<long>& out) {
//     sennit::parallel_segmented_scan(x, begins, out);
//   }
inline constexpr detail::algorithm<detail::transform_scan_calls<detail::in_parallel>>
    parallel_transform_scan{};
inline constexpr detail::algorithm<detail::transform_exclusive_scan_calls<detail::in_parallel>>
    parallel_transform_exclusive_scan{};

// The scan by a fold: out[i] = fold(... fold(fold(first, in[0]), in[1]) ..., in[i]).
//
//   parallel_fold_scan(range, out, first, fold, combine, how = {})
//
// fold(result, element) and combine(result, result) return a result, of the type of `first`. Preconditions: combine is
// associative and agrees with fold, as in parallel_fold, and `first` is an identity of combine: combine(first, x) == x.
// Everything else is as for parallel_scan.
inline constexpr detail::algorithm<detail::fold_scan_calls<detail::in_parallel>> parallel_fold_scan{};

// The scan that begins anew at each element whose flag is true: out[i] = flags[i] ? in[i] : combine(out[i - 1], in[i]).
//
//   parallel_segmented_scan(range, flags, out, combine = std::plus<>(), how = {})
//
// `flags` is a range of values that convert to bool. The first element begins a segment in any case. Throws
// std::invalid_argument if there are fewer flags than elements. Everything else is as for parallel_scan.
inline constexpr detail::algorithm<detail::segmented_scan_calls<detail::in_parallel>>
    parallel_segmented_scan{};

}  // namespace sennit
