// SPDX-License-Identifier: Apache-2.0
// The second sequence is missing.
#include <sennit/algorithm/compare.hpp>

#include <vector>

bool same(const std::vector<int>& x) { return sennit::parallel_equal(x); }
