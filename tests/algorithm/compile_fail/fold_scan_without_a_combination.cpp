// SPDX-License-Identifier: Apache-2.0
// What makes one of two results is missing.
#include <sennit/algorithm/scans.hpp>

#include <vector>

void sums(const std::vector<int>& x, std::vector<long>& y) {
  sennit::parallel_fold_scan(x, y, 0L, [](long sum, int e) { return sum + e; });
}
