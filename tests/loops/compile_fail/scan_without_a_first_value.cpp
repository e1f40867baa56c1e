// SPDX-License-Identifier: Apache-2.0
// The exclusive scan has to begin with something.
#include <sennit/parallel_scan.hpp>

#include <vector>

void totals(std::vector<int>& numbers) { sennit::parallel_exclusive_scan(numbers, numbers); }
