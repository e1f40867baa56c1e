// SPDX-License-Identifier: Apache-2.0
// Nothing can be assigned to the destination.
#include <sennit/algorithm/merge.hpp>

#include <vector>

void merge(const std::vector<int>& x, const std::vector<int>& out) { sennit::parallel_merge(x, x, out); }
