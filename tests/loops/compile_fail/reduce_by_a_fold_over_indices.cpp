// SPDX-License-Identifier: Apache-2.0
// The same over indices, which are no longs.
#include <sennit/parallel_reduce.hpp>

long squares(int n) {
  return sennit::parallel_reduce(0, n, 0L, [](long sum, long i) { return sum + i * i; });
}
