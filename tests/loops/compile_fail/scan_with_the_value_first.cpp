// SPDX-License-Identifier: Apache-2.0
// The operation comes before the first value, as in std::inclusive_scan.
#include <sennit/parallel_scan.hpp>

#include <functional>
#include <vector>

void totals(const std::vector<long>& numbers, std::vector<long>& sums) {
  sennit::parallel_scan(numbers, sums, 100L, std::plus<>());
}
