// SPDX-License-Identifier: Apache-2.0
// Threads would append at the same time.
#include <sennit/parallel_transform.hpp>

#include <iterator>
#include <vector>

void append(const std::vector<int>& numbers, std::vector<int>& all) {
  sennit::parallel_copy(numbers, std::back_inserter(all));
}
