// SPDX-License-Identifier: Apache-2.0
// Rings of numbers, for the tests of sweeps over them.
#pragma once

#include "support.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit_test {

using sennit::effects;
using sennit::memory_range;
using sennit::range;
using sennit::reads;
using sennit::writes;
using field = std::vector<double>;

inline field some_numbers(std::int64_t n, std::int64_t seed = 0) {
  field x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<double>((static_cast<std::int64_t>(i) * 7919 + seed * 31) % 1021) / 7;
  return x;
}

// The numbers of a ring that the indices of `r` and so many before and behind them have: up to three ranges.
struct around {
  range middle, low, high;

  around(std::int64_t n, range r, std::int64_t before, std::int64_t behind)
      : middle(range{r.first - before, r.last + behind}.within({0, n})),
        low{0, std::min(std::max<std::int64_t>(r.last + behind - n, 0), n)},
        high{n - std::min(std::max<std::int64_t>(before - r.first, 0), n), n} {}
};
inline effects reads_around(const field& in, range r, std::int64_t before, std::int64_t behind,
                            const field& out) {
  const around a(static_cast<std::int64_t>(in.size()), r, before, behind);
  return effects(reads(memory_range(in.data(), a.middle), memory_range(in.data(), a.low),
                       memory_range(in.data(), a.high)),
                 writes(memory_range(out.data(), r)));
}
inline std::size_t modulo(std::int64_t i, std::int64_t n) {
  return static_cast<std::size_t>(((i % n) + n) % n);
}

}  // namespace sennit_test
