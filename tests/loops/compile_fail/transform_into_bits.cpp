// SPDX-License-Identifier: Apache-2.0
// Threads that write neighboring bits would undo each other's work.
#include <sennit/parallel_transform.hpp>

#include <vector>

void positive(const std::vector<int>& numbers, std::vector<bool>& flags) {
  sennit::parallel_transform(numbers, flags, [](int x) { return x > 0; });
}
