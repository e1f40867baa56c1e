// SPDX-License-Identifier: Apache-2.0
// latent_reduce: plain loops with a result, which give iterations away when a beat comes.
#pragma once

#include <sennit/detail/algorithm/combine.hpp>
#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/parts.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/latent/loop.hpp>
#include <sennit/latent_range.hpp>
#include <sennit/parallel_reduce.hpp>

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

namespace sennit {
namespace detail {

// A value for each element, perhaps with what is left of the loop.
template <class Map, class V>
concept latent_map = reduce_map<Map, V> || (std::invocable<Map&, V, latent&> &&
                                            !std::is_void_v<std::invoke_result_t<Map&, V, latent&>>);

template <class Engine, class Sequence, class T, class Map, class Combine>
SENNIT_INLINE T reduce_latent_sequence(latent* around, const Sequence& sequence, T first, Map& map,
                                       Combine& combine) {
  using V = typename Sequence::value;
  refuse_combination_with_state<Combine, T>();
  if (sequence.size == 0) return first;
  const auto append = [&combine](T& left, T&& right) { combine_into(combine, left, std::move(right)); };
  if constexpr (std::invocable<Map&, V, latent&>) {
    refuse_state<Map, V, latent&>();
    T rest = reduce_latent_nest<Engine, T>(
        around, 0, sequence.size,
        [&](position i, latent& inside) -> T {
          return convert<T>(std::as_const(map)(Sequence::read(sequence.at(i)), inside));
        },
        append);
    append(first, std::move(rest));
  } else {
    refuse_state<Map, V>();
    T rest = reduce_latent<Engine, T>(around, 0, sequence.size,
                                      reduced_parts<Sequence, T, Map, Combine>(sequence, map, combine));
    append(first, std::move(rest));
  }
  return first;
}

template <class Engine>
struct latent_reduction {
  template <class First, class Last, class T, class Map, class Combine = std::plus<>>
    requires bounds<First, Last> && latent_map<Map, typename sequence_for<First, Last>::value> &&
             combines<Combine, T>
  T operator()(First begin, Last end, T first, Map&& map, Combine&& combine = {}) const {
    return reduce_latent_sequence<Engine>(nullptr, sequence_of(begin, end), std::move(first), map, combine);
  }
  template <class First, class Last, class T, class Map, class Combine>
    requires bounds<First, Last> && latent_map<Map, typename sequence_for<First, Last>::value> &&
             combines<Combine, T>
  T operator()(First begin, Last end, T first, Map&& map, Combine&& combine, latent& around) const {
    return reduce_latent_sequence<Engine>(&around, sequence_of(begin, end), std::move(first), map, combine);
  }
  template <countable_range R, class T, class Map, class Combine = std::plus<>>
    requires latent_map<Map, std::ranges::range_reference_t<R>> && combines<Combine, T>
  T operator()(R&& range, T first, Map&& map, Combine&& combine = {}) const {
    return reduce_latent_sequence<Engine>(nullptr, sequence_of(range), std::move(first), map, combine);
  }
  template <countable_range R, class T, class Map, class Combine>
    requires latent_map<Map, std::ranges::range_reference_t<R>> && combines<Combine, T>
  T operator()(R&& range, T first, Map&& map, Combine&& combine, latent& around) const {
    return reduce_latent_sequence<Engine>(&around, sequence_of(range), std::move(first), map, combine);
  }
  template <class... Arguments>
  void operator()(const Arguments&...) const {
    static_assert(
        never<Arguments...>,
        "latent_reduce: no reduction has such arguments; its forms are (begin, end, first, map, combine) "
        "and (range, first, map, combine), each with the loop around, a sennit::latent&, behind or "
        "without; combine makes one value of two of the type of `first`");
  }
};

}  // namespace detail

// Computes combine(... combine(combine(first, map(x0)), map(x1)) ..., map(xn)), in any bracketing. When a beat comes, the
// second half of what is left becomes a task.
//
//   latent_reduce(begin, end, first, map, combine = std::plus<>())   two integers or iterators, or an iterator and a number
//   latent_reduce(range, first, map, combine = std::plus<>())        random-access, sized
//
// Behind `combine` may stand the loop around, a sennit::latent&, which is promoted first. A map with a second parameter, a
// sennit::latent&, gets what is left of this loop for the latent loops inside: see latent_for. Values and operations
// are those of parallel_reduce: combine is associative and need not be commutative; `first` counts once, at the left; for
// an empty sequence it is the result.
//
// Exceptions, cost and what the loop does without beats are as for latent_for. Thread-safety: any thread may call it.
//
// Example:
//   #include <vector>
//
//   double norm(const std::vector<double>& x) {
//     return sennit::latent_reduce(x, 0.0, [](double v) { return v * v; });
//   }
//   long pairs(long n) {  // that lie below the diagonal
//     return sennit::latent_reduce(0L, n, 0L, [](long i, sennit::latent& rest) {
//       return sennit::latent_reduce(0L, i, 0L, [](long) { return 1L; }, std::plus<>(), rest);
//     });
//   }
inline constexpr detail::latent_reduction<detail::in_parallel> latent_reduce{};

}  // namespace sennit
