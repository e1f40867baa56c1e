// SPDX-License-Identifier: Apache-2.0
// Threads would append at the same time.
#include <sennit/parallel_transform.hpp>

#include <iterator>
#include <vector>

void squares(const std::vector<int>& numbers, std::vector<int>& results) {
  sennit::parallel_transform(numbers.begin(), numbers.end(), std::back_inserter(results),
                             [](int x) { return x * x; });
}
