// SPDX-License-Identifier: Apache-2.0
// Options come last, unlike in OpenMP.
#include <sennit/parallel_for.hpp>
#include <sennit/parallel_reduce.hpp>

#include <functional>
#include <vector>

int sum(const std::vector<int>& numbers) {
  return sennit::parallel_reduce(numbers, sennit::grain(100), 0, std::plus<>());
}
