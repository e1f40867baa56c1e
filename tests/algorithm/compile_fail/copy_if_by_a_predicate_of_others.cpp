// SPDX-License-Identifier: Apache-2.0
// The predicate is for strings, and the elements are numbers.
#include <sennit/algorithm/pack.hpp>

#include <string>
#include <vector>

void keep(const std::vector<int>& numbers, std::vector<int>& out) {
  sennit::parallel_copy_if(numbers, out, [](const std::string& text) { return text.empty(); });
}
