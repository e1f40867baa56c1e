// SPDX-License-Identifier: Apache-2.0
// Options come last.
#include <sennit/parallel_for.hpp>
#include <sennit/parallel_transform.hpp>

#include <vector>

void negate(std::vector<int>& numbers) {
  sennit::parallel_transform(numbers, numbers, sennit::grain(10), [](int x) { return -x; });
}
