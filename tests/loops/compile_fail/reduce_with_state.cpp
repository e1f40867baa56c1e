// SPDX-License-Identifier: Apache-2.0
// A transformation that counts for itself.
#include <sennit/parallel_reduce.hpp>

#include <vector>

long number(const std::vector<long>& x) {
  return sennit::parallel_reduce(x, 0L, [n = 0L](long v) mutable { return v + n++; });
}
