// SPDX-License-Identifier: Apache-2.0
#include "tests/rollforward/inline_points.hpp"

#include <sennit/latent_reduce.hpp>

namespace inline_points {

long call_shared(long n) { return shared(n); }

long own(long n) {
  long s = 0;
  for (long i = 0; i < n; ++i) {
    s += i * i ^ n;
    SENNIT_PROMOTION_POINT(++taken);
    if (n == 77) SENNIT_PROMOTION_POINT(++taken);
  }
  return s;
}

template <long step>
[[gnu::noinline]] long instance(long n) {
  long s = 0;
  for (long i = 0; i < n; i += step) {
    s += i ^ n;
    SENNIT_PROMOTION_POINT(++taken);
  }
  return s;
}

long instances(long n) { return instance<1>(n) + instance<2>(n); }

long in_lambda(long n) {
  const auto each = [=](long from) __attribute__((noinline)) {
    long s = 0;
    for (long i = from; i < n; ++i) {
      s += i ^ n;
      SENNIT_PROMOTION_POINT(++taken);
    }
    return s;
  };
  return each(1) + each(2);
}

long in_loop(long n) {
  return sennit::latent_reduce(0L, n, 0L, [=](long i) { return i ^ n; });
}

}  // namespace inline_points
