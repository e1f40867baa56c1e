// SPDX-License-Identifier: Apache-2.0
// As with an execution policy of the standard library.
#include <sennit/parallel_for.hpp>

#include <vector>

void clear(std::vector<int>& numbers) {
  struct parallel_policy {
  } parallel;
  sennit::parallel_for(parallel, numbers.begin(), numbers.end(), [](int& x) { x = 0; });
}
