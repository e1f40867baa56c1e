// SPDX-License-Identifier: Apache-2.0
// each: lazy sequences. Stages are fused into one loop over the elements; the result is computed where one is asked for.
#pragma once

#include <sennit/detail/algorithm/algorithm.hpp>
#include <sennit/detail/algorithm/combine.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/parts.hpp>
#include <sennit/detail/algorithm/refusal.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/each/element.hpp>
#include <sennit/detail/each/numbers.hpp>
#include <sennit/detail/each/results.hpp>
#include <sennit/detail/each/stages.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/shared_body.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

// The forms of each, listed below.
template <class Engine>
struct each_calls {
  template <countable_range R>
  auto operator()(R&& range) const {
    using sequence = elements<std::ranges::iterator_t<R>>;
    if constexpr (std::ranges::borrowed_range<R>) {
      return source<Engine, sequence>(sequence_of(range));
    } else {
      // Shared, as sequences are copied.
      auto owner = std::make_shared<std::remove_cvref_t<R>>(std::forward<R>(range));
      return source<Engine, sequence, decltype(owner)>(sequence_of(*owner), owner);
    }
  }
  template <class First, class Last>
    requires bounds<First, Last>
  auto operator()(First first, Last last) const {
    return source<Engine, sequence_for<First, Last>>(sequence_of(first, last));
  }

  template <class... A>
  static consteval void refuse() {
    if constexpr (require_sequence<A...>().arguments != 0) refuse_the_rest<A...>();
  }
};

// The element of a pair of its number and it.
struct second_of {
  template <class Pair>
  auto operator()(Pair&& pair) const -> typename std::remove_cvref_t<Pair>::second_type {
    return static_cast<typename std::remove_cvref_t<Pair>::second_type>(pair.second);
  }
};

template <bool indexed, class... A>
consteval void require_index() {
  static_assert(indexed || never<A...>, "sennit: behind a filter or a flattening, elements have no neighbors "
                                        "before they are collected; collect() "
                                        "first, and go on with each() of that vector");
}
template <class F, class V, class... A>
consteval void require_function() {
  refuse_state<F, V>();
  static_assert(std::invocable<const F&, V> || body_with_state<F, V>,
                "sennit: the function of a stage cannot be called with an element of the sequence before it");
}

}  // namespace detail

// A lazy sequence of the elements of a range, or of integers.
//
//   each(range)        random-access, sized; a range that is no name for one lives in the sequence
//   each(first, last)  two integers, two iterators, or an iterator and a number
//
// Stages follow behind `|`, and an end, which computes. All are in sennit::lazy. Nothing is computed, and no memory is
// allocated, before the end. Then each element goes through all stages in one loop, as if written by hand.
//
//   stage          the elements
//   map(f)         f(x)
//   filter(p)      those for which p(x) is true
//   flatten        those of x, which is a range
//   flat_map(f)    those of f(x), which is a range
//   enumerate      pairs of a number, from 0, and x
//   zip(range)     pairs of x and the range's element with the same number, as long as both have some
//   take(n)        the first n
//   drop(n)        all but the first n
//   chunk(n)       ranges of n neighbors each; the last one may have fewer
//   slide(n)       ranges of n neighbors, from each element on that has so many
//
//   end                          the result
//   sum()                        of all, T() + x + ...; of no element T()
//   reduce(op)                   a std::optional of op(op(x, y), ...), in any bracketing, in order
//   fold(first, step, combine)   step(first, x) for all; combine makes one of two such values; `first` is its identity
//   count(), min(), max()        a number; std::optionals; of equals the first
//   first()                      a std::optional of the first element
//   any(p), all(p), none(p)      whether p holds for any, all or no element
//   for_each(f)                  calls f(x)
//   collect()                    a std::vector of all, in order
//   collect_into(out)            writes them, in order, to an iterator with enough room, or a range; returns the end
//
// What an end keeps is a copy: of pairs both parts, and of neighbors a std::vector.
//
// Behind filter, flatten and flat_map the number of an element is not known beforehand. There enumerate, zip, take, drop
// and collect_into count the elements of blocks in a first pass, so what comes before is computed twice; collect() does not.
// chunk and slide do not compile there.
//
// Several threads call the functions at once, as constants; a function that changes itself does not compile. An end takes
// options such as grain(100) as its last argument; sum, reduce and fold take sennit::deterministic as well. first(), any(),
// all() and none() go through the sequence in parts, each as long as all before it: no more is computed behind the element
// that decides than before it, and some 64 elements; the element is the first one always, and what functions throw behind it
// is dropped. Where elements were counted first, as for take() behind a filter, all of them have been computed once by then.
// Throws what the function threw for the lowest position that threw; std::bad_alloc; std::invalid_argument if `out` is a
// range with too few elements; and sennit::cancelled in a cancelled region. Thread-safety: any thread may compute; several
// may use one sequence. Cost: as parallel_for. Memory: for collect() the vector, and for what other workers collected the
// same again while it is put together; a number for each of the square root of all positions where elements are counted.
// (Fusion of delayed sequences: Westrick et al., "Parallel block-delayed sequences", 2022.)
//
// Example:
//   #include <vector>
//
//   double energy(const std::vector<double>& charge) {
//     using namespace sennit::lazy;
//     return sennit::each(charge) | filter([](double x) { return x > 0; }) | map([](double x) { return x * x; }) | sum();
//   }
//   std::vector<int> primes(int below) {
//     return sennit::each(2, below) | sennit::lazy::filter([](int n) {
//       for (int d = 2; d * d <= n; ++d)
//         if (n % d == 0) return false;
//       return true;
//     }) | sennit::lazy::collect();
//   }
//   double weighted(const std::vector<double>& x, const std::vector<double>& weights) {
//     using namespace sennit::lazy;
//     return sennit::each(x) | drop(1) | zip(weights) | map([](const auto& pair) { return pair.first * pair.second; }) |
//            fold(0.0, [](double sum, double y) { return sum + y; }, [](double a, double b) { return a + b; });
//   }
//   bool no_zero_in(const std::vector<std::vector<int>>& rows) {
//     using namespace sennit::lazy;
//     return sennit::each(rows) | flat_map([](const std::vector<int>& row) { return row; }) |
//            none([](int v) { return v == 0; });
//   }
inline constexpr detail::algorithm<detail::each_calls<detail::in_parallel>> each{};

// The stages and ends of lazy sequences; see each.
namespace lazy {

template <class F>
auto map(F f) {
  return detail::stage{[f = std::move(f)]<class S>(S&& sequence) mutable {
    using base = std::remove_cvref_t<S>;
    detail::require_function<F, detail::element_of<base>>();
    return detail::mapped<base, F>(std::forward<S>(sequence), std::move(f));
  }};
}
template <class P>
auto filter(P keeps) {
  return detail::stage{[keeps = std::move(keeps)]<class S>(S&& sequence) mutable {
    using base = std::remove_cvref_t<S>;
    detail::require_function<P, const std::remove_reference_t<detail::element_of<base>>&>();
    return detail::filtered<base, P>(std::forward<S>(sequence), std::move(keeps));
  }};
}
inline constexpr detail::stage flatten{[]<class S>(S&& sequence) {
  using base = std::remove_cvref_t<S>;
  static_assert(std::ranges::input_range<detail::element_of<base>>,
                "lazy::flatten: the elements are no ranges");
  return detail::flattened<base>(std::forward<S>(sequence));
}};
template <class F>
auto flat_map(F f) {
  return detail::stage{[f = std::move(f)]<class S>(S&& sequence) mutable {
    return std::forward<S>(sequence) | lazy::map(std::move(f)) | lazy::flatten;
  }};
}
inline constexpr detail::stage enumerate{[]<class S>(S&& sequence) {
  using base = std::remove_cvref_t<S>;
  if constexpr (base::indexed) {
    return detail::enumerated<base>(std::forward<S>(sequence));
  } else {
    return detail::numbered<base>(std::forward<S>(sequence));
  }
}};
inline auto drop(std::size_t n) {
  return detail::stage{[n]<class S>(S&& sequence) {
    using base = std::remove_cvref_t<S>;
    constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
    if constexpr (base::indexed) {
      return detail::cut<base>(std::forward<S>(sequence), n, all);
    } else {
      return detail::mapped(detail::numbered<base>(std::forward<S>(sequence), n, all), detail::second_of());
    }
  }};
}
inline auto take(std::size_t n) {
  return detail::stage{[n]<class S>(S&& sequence) {
    using base = std::remove_cvref_t<S>;
    if constexpr (base::indexed) {
      return detail::cut<base>(std::forward<S>(sequence), 0, n);
    } else {
      return detail::mapped(detail::numbered<base>(std::forward<S>(sequence), 0, n), detail::second_of());
    }
  }};
}
// `other`: a range, or an indexed lazy sequence.
template <class R>
auto zip(R&& other) {
  auto right = [&] {
    if constexpr (detail::lazy_sequence<R>) {
      detail::require_index<detail::indexed_sequence<R>, R>();
      return std::remove_cvref_t<R>(std::forward<R>(other));
    } else {
      return each(std::forward<R>(other));
    }
  }();
  return detail::stage{[right = std::move(right)]<class S>(S&& sequence) mutable {
    using base = std::remove_cvref_t<S>;
    using second = decltype(right);
    if constexpr (base::indexed) {
      return detail::paired<base, second>(std::forward<S>(sequence), std::move(right));
    } else {
      using pair = std::pair<detail::element_of<base>, detail::element_of<second>>;
      const auto n = static_cast<std::size_t>(right.size());
      return detail::mapped(detail::numbered<base>(std::forward<S>(sequence), 0, n),
                            [right = std::move(right)](auto&& numbered) -> pair {
                              return pair(detail::second_of()(std::forward<decltype(numbered)>(numbered)),
                                          right.at(static_cast<detail::position>(numbered.first)));
                            });
    }
  }};
}
inline auto chunk(std::size_t n) {
  return detail::stage{[n]<class S>(S&& sequence) {
    using base = std::remove_cvref_t<S>;
    detail::require_index<base::indexed, S>();
    const detail::position length = n == 0 ? 1 : n;
    return detail::windows<base>(std::forward<S>(sequence), length, length, false);
  }};
}
inline auto slide(std::size_t n) {
  return detail::stage{[n]<class S>(S&& sequence) {
    using base = std::remove_cvref_t<S>;
    detail::require_index<base::indexed, S>();
    return detail::windows<base>(std::forward<S>(sequence), n == 0 ? 1 : n, 1, true);
  }};
}

template <detail::reduce_options Options = loop_options>
auto sum(const Options& how = {}) {
  return detail::result{[how](auto& sequence) {
    using V = std::remove_cvref_t<detail::element_of<decltype(sequence)>>;
    using T = std::decay_t<decltype(std::declval<V>() + std::declval<V>())>;
    return detail::accumulate(
        sequence, [] { return T(); },
        [](T& left, auto&& element) {
          left = static_cast<T>(std::move(left) + std::forward<decltype(element)>(element));
        },
        [](T& left, T&& right) { left = static_cast<T>(std::move(left) + std::move(right)); }, how);
  }};
}
template <class F, detail::reduce_options Options = loop_options>
auto reduce(F combine, const Options& how = {}) {
  return detail::result{[combine = std::move(combine), how](auto& sequence) {
    using V = detail::kept_of<decltype(sequence)>;
    using T = std::optional<V>;
    detail::refuse_combination_with_state<F, V>();
    return detail::accumulate(
        sequence, [] { return T(); },
        [&](T& left, auto&& element) {
          if (left) {
            detail::combine_into(combine, *left, detail::keep<V>(std::forward<decltype(element)>(element)));
          } else {
            left.emplace(detail::keep<V>(std::forward<decltype(element)>(element)));
          }
        },
        [&](T& left, T&& right) {
          if (!right) return;
          if (left) {
            detail::combine_into(combine, *left, *std::move(right));
          } else {
            left = std::move(right);
          }
        },
        how);
  }};
}
template <class T, class Step, class Combine, detail::reduce_options Options = loop_options>
auto fold(T first, Step step, Combine combine, const Options& how = {}) {
  return detail::result{
      [first = std::move(first), step = std::move(step), combine = std::move(combine), how](auto& sequence) {
        using V = detail::element_of<decltype(sequence)>;
        detail::refuse_combination_with_state<Step, T, V>();
        detail::refuse_combination_with_state<Combine, T>();
        return detail::accumulate(
            sequence, [&]() -> T { return first; },
            [&](T& left, auto&& element) {
              detail::combine_into(step, left, std::forward<decltype(element)>(element));
            },
            [&](T& left, T&& right) { detail::combine_into(combine, left, std::move(right)); }, how);
      }};
}
inline auto count(const loop_options& how = {}) {
  return detail::result{[how](auto& sequence) -> std::size_t {
    if constexpr (std::remove_cvref_t<decltype(sequence)>::indexed) {
      sequence.prepare(how);
      return static_cast<std::size_t>(sequence.size());
    } else {
      return detail::accumulate(
          sequence, [] { return std::size_t{0}; }, [](std::size_t& left, auto&&) { ++left; },
          [](std::size_t& left, std::size_t&& right) { left += right; }, how);
    }
  }};
}
inline auto min(const loop_options& how = {}) {
  return reduce([](auto left, auto right) { return right < left ? std::move(right) : std::move(left); }, how);
}
inline auto max(const loop_options& how = {}) {
  return reduce([](auto left, auto right) { return left < right ? std::move(right) : std::move(left); }, how);
}
inline auto first(const loop_options& how = {}) {
  return detail::result{[how](auto& sequence) { return detail::first_of(sequence, how); }};
}
template <class P>
auto any(P holds, const loop_options& how = {}) {
  return detail::result{[holds = std::move(holds), how](auto& sequence) {
    using V = detail::element_of<decltype(sequence)>;
    detail::require_function<P, V>();
    auto those = detail::filtered(detail::mapped(std::move(sequence),
                                                 [&](auto&& element) -> bool {
                                                   return detail::invoke(
                                                       holds, std::forward<decltype(element)>(element));
                                                 }),
                                  std::identity());
    return detail::first_of(those, how).has_value();
  }};
}
template <class P>
auto none(P holds, const loop_options& how = {}) {
  return detail::result{[end = any(std::move(holds), how)](auto& sequence) { return !end.run(sequence); }};
}
template <class P>
auto all(P holds, const loop_options& how = {}) {
  return none([holds = std::move(holds)]<class V>(V&& value) -> bool
                requires std::invocable<const P&, V>
              { return !detail::invoke(holds, std::forward<V>(value)); },
              how);
}
template <class F>
auto for_each(F f, const loop_options& how = {}) {
  return detail::result{[f = std::move(f), how](auto& sequence) {
    detail::require_function<F, detail::element_of<decltype(sequence)>>();
    using S = std::remove_cvref_t<decltype(sequence)>;
    sequence.prepare(how);
    S::engine::for_positions(
        sequence.size(),
        [&](detail::position from, detail::position to) {
          sequence.push(from, to, [&](auto&& element) {
            static_cast<void>(detail::invoke(f, std::forward<decltype(element)>(element)));
          });
        },
        how);
  }};
}
inline auto collect(const loop_options& how = {}) {
  return detail::result{[how](auto& sequence) { return detail::collected(sequence, how); }};
}
template <class D>
auto collect_into(D&& out, const loop_options& how = {}) {
  // A container of the program by reference; a span or an iterator that is nobody's by value.
  return detail::result{[to = std::tuple<D>(std::forward<D>(out)), how](auto& sequence) {
    auto&& place = std::get<0>(to);
    return detail::collected_into(sequence, place, how);
  }};
}

}  // namespace lazy
}  // namespace sennit
