// SPDX-License-Identifier: Apache-2.0
// A sort takes none.
#include <sennit/parallel_for.hpp>
#include <sennit/parallel_sort.hpp>

#include <vector>

void sort(std::vector<int>& numbers) { sennit::parallel_sort(numbers, sennit::grain(100)); }
