// SPDX-License-Identifier: Apache-2.0
// What is constant stays where it is.
#include <sennit/parallel_sort.hpp>

#include <vector>

void sort(const std::vector<int>& numbers) { sennit::parallel_sort(numbers); }
