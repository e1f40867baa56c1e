// SPDX-License-Identifier: Apache-2.0
// The comparator takes other elements.
#include <sennit/parallel_sort.hpp>

#include <string>
#include <vector>

void sort(std::vector<int>& numbers) {
  sennit::parallel_sort(numbers, [](const std::string& a, const std::string& b) { return a < b; });
}
