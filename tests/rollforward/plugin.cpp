// SPDX-License-Identifier: Apache-2.0
// A shared object with a promotion point, to be loaded and unloaded.
#include <sennit/promotion_point.hpp>

extern "C" [[gnu::visibility("default")]] long plugin_sum(const int* data, long n, void (*each)(),
                                                          void (*take)()) {
  long s = 0;
  for (long i = 0; i < n; ++i) {
    s += data[i];
    each();
    SENNIT_PROMOTION_POINT(take());
  }
  return s;
}
