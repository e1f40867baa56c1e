// SPDX-License-Identifier: Apache-2.0
// What std::accumulate takes: a result of a part is no element, although it converts to one.
#include <sennit/parallel_reduce.hpp>

#include <vector>

long squares(const std::vector<int>& numbers) {
  return sennit::parallel_reduce(numbers, 0L, [](long sum, long x) { return sum + x * x; });
}
