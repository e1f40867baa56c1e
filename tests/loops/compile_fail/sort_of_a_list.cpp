// SPDX-License-Identifier: Apache-2.0
// A list cannot be cut in the middle.
#include <sennit/parallel_sort.hpp>

#include <list>

void sort(std::list<int>& numbers) { sennit::parallel_sort(numbers.begin(), numbers.end()); }
