// SPDX-License-Identifier: Apache-2.0
// Threads would append at the same time.
#include <sennit/parallel_scan.hpp>

#include <iterator>
#include <vector>

void totals(const std::vector<int>& numbers, std::vector<int>& sums) {
  sennit::parallel_scan(numbers, std::back_inserter(sums));
}
