// SPDX-License-Identifier: Apache-2.0
#include "tests/rollforward/throws.hpp"

#include <sennit/promotion_point.hpp>

#include <stdexcept>

#define NOINLINE [[gnu::noinline]]

namespace throws {

std::atomic<long> taken[points];
const char* const names[points] = {"in the loop", "in the handler", "in a frame that is passed",
                                   "before the throw", "in the caller"};

namespace {

void take(point p) { taken[p].fetch_add(1, std::memory_order_relaxed); }

// The compiler is not to know what it does.
volatile long work_units = 40;

NOINLINE long work(long x) {
  for (long i = 0; i < work_units; ++i) x = x * 3 + i;
  return x;
}

struct guard {
  long& count;
  ~guard() {
    work(count);
    ++count;
  }
};

NOINLINE long fails(long i) {
  long x = 0;
  for (long k = 0; k < 3; ++k) {
    x += work(k);
    SENNIT_PROMOTION_POINT(take(before_throw));
  }
  if (x != i - 1) throw std::runtime_error("as asked");
  return x;
}

NOINLINE long passes_on(long i, long& destroyed) {
  const guard g{destroyed};
  const long x = fails(i);
  SENNIT_PROMOTION_POINT(take(in_frame_passed));
  return work(x);
}

NOINLINE counts some(long n) {
  counts c{0, 0};
  for (long i = 0; i < n; ++i) {
    try {
      work(i);
      SENNIT_PROMOTION_POINT(take(in_frame_passed));
      passes_on(i, c.destroyed);
    } catch (const std::runtime_error&) {
      ++c.caught;
      work(i);
      SENNIT_PROMOTION_POINT(take(in_handler));
    }
    work(i);
    SENNIT_PROMOTION_POINT(take(in_loop));
  }
  return c;
}

}  // namespace

counts loop(long n) {
  constexpr long at_once = 10;
  counts sum{0, 0};
  for (long left = n; left > 0; left -= at_once) {
    const counts c = some(left < at_once ? left : at_once);
    SENNIT_PROMOTION_POINT(take(around));
    sum.caught += c.caught;
    sum.destroyed += c.destroyed;
    work(left);
    SENNIT_PROMOTION_POINT(take(around));
  }
  return sum;
}

}  // namespace throws
