// SPDX-License-Identifier: Apache-2.0
// Two iterators that are not a pair.
#include <sennit/parallel_for.hpp>

#include <vector>

void clear(std::vector<int>& numbers) {
  sennit::parallel_for(numbers.data(), numbers.end(), [](int& x) { x = 0; });
}
