// SPDX-License-Identifier: Apache-2.0
// A fold that counts for itself.
#include <sennit/parallel_fold.hpp>

#include <functional>
#include <vector>

long count(const std::vector<int>& x) {
  return sennit::parallel_fold(
      x, 0L, [n = 0L](long sum, int v) mutable { return sum + v + n++; }, std::plus<>());
}
