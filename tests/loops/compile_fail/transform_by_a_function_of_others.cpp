// SPDX-License-Identifier: Apache-2.0
// The function takes no element.
#include <sennit/parallel_transform.hpp>

#include <string>
#include <vector>

void measure(const std::vector<int>& numbers, std::vector<int>& lengths) {
  sennit::parallel_transform(numbers, lengths, [](const std::string& s) { return int(s.size()); });
}
