#include "tests/rollforward/inline_points.hpp"

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

}  // namespace inline_points
