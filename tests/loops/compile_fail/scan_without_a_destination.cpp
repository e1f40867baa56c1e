// SPDX-License-Identifier: Apache-2.0
// The destination may be the input, but has to be given.
#include <sennit/parallel_scan.hpp>

#include <functional>
#include <vector>

void totals(std::vector<int>& numbers) { sennit::parallel_scan(numbers); }
