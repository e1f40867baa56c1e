// SPDX-License-Identifier: Apache-2.0
// As for std::reduce.
#include <sennit/parallel_reduce.hpp>

#include <vector>

struct policy {};
int sum(const std::vector<int>& numbers) {
  return sennit::parallel_reduce(policy(), numbers.begin(), numbers.end(), 0);
}
