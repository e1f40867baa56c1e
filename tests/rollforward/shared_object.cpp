// SPDX-License-Identifier: Apache-2.0
// Promotion points in a shared object that is linked with the library, as CMake does it: the object has a copy of its own.
#include <sennit/promotion_point.hpp>

unsigned long sum_in_shared_object(unsigned long n, long& taken);

unsigned long sum_in_shared_object(unsigned long n, long& taken) {
  unsigned long sum = 0;
  for (unsigned long i = 0; i < n; ++i) {
    sum += i ^ sum;
    SENNIT_PROMOTION_POINT(++taken);
  }
  return sum;
}
