// Promotion points in a shared object that is linked with the library, as CMake does it: the object has a copy of its own.
#include <sennit/promotion_point.hpp>

long sum_in_shared_object(long n, long& taken);

long sum_in_shared_object(long n, long& taken) {
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    sum += i ^ sum;
    SENNIT_PROMOTION_POINT(++taken);
  }
  return sum;
}
