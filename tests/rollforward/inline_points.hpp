// SPDX-License-Identifier: Apache-2.0
// Functions with promotion points that objects share, rolled forward or not.
#pragma once

#include <sennit/promotion_point.hpp>

namespace inline_points {

extern long taken;

// In both objects.
[[gnu::noinline]] inline long shared(long n) {
  long s = 0;
  for (long i = 0; i < n; ++i) {
    s += i ^ n;
    SENNIT_PROMOTION_POINT(++taken);
  }
  return s;
}

// In the object that is rolled forward.
long own(long n);

// That object calls the first.
long call_shared(long n);

// Two instances of a template, a lambda, and a latent loop.
long instances(long n);
long in_lambda(long n);
long in_loop(long n);

}  // namespace inline_points
