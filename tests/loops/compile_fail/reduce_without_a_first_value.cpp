// SPDX-License-Identifier: Apache-2.0
// As for std::reduce.
#include <sennit/parallel_reduce.hpp>

#include <vector>

int sum(const std::vector<int>& numbers) { return sennit::parallel_reduce(numbers.begin(), numbers.end()); }
