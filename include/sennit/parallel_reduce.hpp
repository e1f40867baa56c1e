// parallel_reduce: the combined values of a loop's iterations.
#pragma once

#include <sennit/detail/loop.hpp>
#include <sennit/parallel_for.hpp>

#include <concepts>
#include <functional>
#include <utility>

namespace sennit {

// combine(... combine(combine(identity, map(first)), map(first + 1)) ..., map(last - 1)),
// for an associative combine(T, T) with that identity; it need not be commutative.
//
// Example:
//   double dot(long n, const double* x, const double* y) {
//     return sennit::parallel_reduce(0, n, 0.0, [=](long i) { return x[i] * y[i]; });
//   }
template <std::integral First, std::integral Last, class T, class Map, class Combine = std::plus<>>
  requires std::invocable<Map&, detail::index<First, Last>>
T parallel_reduce(First first, Last last, T identity, Map&& map, Combine&& combine = {},
                  const loop_options& how = {}) {
  using I = detail::index<First, Last>;
  const I begin = static_cast<I>(first);
  if (!(begin < static_cast<I>(last))) return identity;
  return detail::fold_positions(
      static_cast<detail::position>(static_cast<I>(last) - begin), [&] { return identity; },
      [&](T& sum, detail::position from, detail::position to) {
        T local = std::move(sum);
        for (detail::position p = from; p < to; ++p)
          local = combine(std::move(local), map(static_cast<I>(begin + static_cast<I>(p))));
        sum = std::move(local);
      },
      [&](T& left, T&& right) { left = combine(std::move(left), std::move(right)); }, how);
}

}  // namespace sennit
