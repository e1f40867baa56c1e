// SPDX-License-Identifier: Apache-2.0
// A string is no int.
#include <sennit/parallel_transform.hpp>

#include <string>
#include <vector>

void print(const std::vector<int>& numbers, std::vector<int>& texts) {
  sennit::parallel_transform(numbers, texts, [](int x) { return std::to_string(x); });
}
