// SPDX-License-Identifier: Apache-2.0
// fib(size): `fine` forks at each call, `coarse` and `slowed` down to about a microsecond; in `slowed` what worker 1 runs takes four
// times as long.
#pragma once

#include "common/program.hpp"

namespace schedule_fib {

constexpr long cutoff = 16;

inline long serial(long n) { return n < 2 ? n : serial(n - 1) + serial(n - 2); }

inline void check_input(const bench::program& program) {
  if (program.input() != "fine" && program.input() != "coarse" && program.input() != "slowed")
    bench::program::fail("--input", "must be fine, coarse or slowed");
}

}  // namespace schedule_fib
