// SPDX-License-Identifier: Apache-2.0
// The projection is one of another type.
#include <sennit/algorithm/find.hpp>

#include <string>
#include <vector>

bool has(const std::vector<int>& x) { return sennit::parallel_contains(x, 3U, &std::string::size); }
