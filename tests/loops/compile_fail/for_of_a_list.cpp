// SPDX-License-Identifier: Apache-2.0
// A list cannot be split in the middle.
#include <sennit/parallel_for.hpp>

#include <list>

void clear(std::list<int>& numbers) {
  sennit::parallel_for(numbers, [](int& x) { x = 0; });
}
