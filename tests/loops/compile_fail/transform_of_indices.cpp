// SPDX-License-Identifier: Apache-2.0
// Indices are no elements.
#include <sennit/parallel_transform.hpp>

#include <vector>

void squares(std::vector<int>& results) {
  sennit::parallel_transform(0, 10, results.begin(), [](int i) { return i * i; });
}
