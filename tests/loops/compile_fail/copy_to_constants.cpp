// SPDX-License-Identifier: Apache-2.0
// What is constant stays as it is.
#include <sennit/parallel_transform.hpp>

#include <vector>

void copy(const std::vector<int>& numbers, const std::vector<int>& copies) {
  sennit::parallel_copy(numbers, copies);
}
