// SPDX-License-Identifier: Apache-2.0
// The option comes after the operation, which is not left out then.
#include <sennit/parallel_reduce.hpp>

#include <vector>

double sum(const std::vector<double>& numbers) {
  return sennit::parallel_reduce(numbers, 0.0, sennit::deterministic);
}
