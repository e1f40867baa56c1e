// SPDX-License-Identifier: Apache-2.0
// The second sequence is missing.
#include <sennit/algorithm/sets.hpp>

#include <vector>

bool includes(const std::vector<int>& x) { return sennit::parallel_includes(x, 7); }
