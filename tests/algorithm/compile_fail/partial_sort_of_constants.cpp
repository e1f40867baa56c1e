// SPDX-License-Identifier: Apache-2.0
// The elements cannot be moved.
#include <sennit/algorithm/select.hpp>

#include <vector>

void sort(const std::vector<int>& x) { sennit::parallel_partial_sort(x.begin(), x.begin() + 5, x.end()); }
