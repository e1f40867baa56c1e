// SPDX-License-Identifier: Apache-2.0
// Iterators without random access.
#include <sennit/parallel_for.hpp>

#include <list>

void clear(std::list<int>& numbers) {
  sennit::parallel_for(numbers.begin(), numbers.end(), [](int& x) { x = 0; });
}
