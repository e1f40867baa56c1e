// SPDX-License-Identifier: Apache-2.0
// What std::accumulate takes: a result of a part is no element, although it converts to one.
#include <sennit/parallel_scan.hpp>

#include <vector>

long totals(const std::vector<int>& numbers, std::vector<long>& sums) {
  return sennit::parallel_exclusive_scan(numbers, sums, 0L, [](long s, long x) { return s + x * x; });
}
