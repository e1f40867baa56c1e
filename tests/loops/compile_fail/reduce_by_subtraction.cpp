// SPDX-License-Identifier: Apache-2.0
// What is subtracted depends on the brackets.
#include <sennit/parallel_reduce.hpp>

#include <functional>
#include <vector>

int rest(const std::vector<int>& numbers) { return sennit::parallel_reduce(numbers, 100, std::minus<>()); }
