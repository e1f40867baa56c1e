// SPDX-License-Identifier: Apache-2.0
// As for std::accumulate.
#include <sennit/parallel_fold.hpp>

#include <vector>

long squares(const std::vector<int>& numbers) {
  return sennit::parallel_fold(numbers, 0L, [](long sum, long x) { return sum + x * x; });
}
