// SPDX-License-Identifier: Apache-2.0
// An operation that counts for itself.
#include <sennit/parallel_scan.hpp>

#include <vector>

void scan(std::vector<long>& x) {
  sennit::parallel_scan(x, x, [n = 0L](long a, long b) mutable { return a + b + n++; });
}
