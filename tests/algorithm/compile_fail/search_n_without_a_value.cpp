// SPDX-License-Identifier: Apache-2.0
// The value comes behind the number.
#include <sennit/algorithm/find.hpp>

#include <vector>

auto search(const std::vector<int>& x) { return sennit::parallel_search_n(x, 3); }
