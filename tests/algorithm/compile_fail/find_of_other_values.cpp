// SPDX-License-Identifier: Apache-2.0
// A string is compared with numbers.
#include <sennit/algorithm/find.hpp>

#include <string>
#include <vector>

bool has(const std::vector<int>& x, const std::string& name) { return sennit::parallel_contains(x, name); }
