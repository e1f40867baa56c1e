// SPDX-License-Identifier: Apache-2.0
// A function that returns nothing leaves nothing to write.
#include <sennit/parallel_transform.hpp>

#include <vector>

void nothing(std::vector<int>& numbers) {
  sennit::parallel_transform(numbers, numbers, [](int) {});
}
