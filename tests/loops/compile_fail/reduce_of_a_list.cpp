// SPDX-License-Identifier: Apache-2.0
// A list cannot be cut in the middle.
#include <sennit/parallel_reduce.hpp>

#include <list>

int sum(const std::list<int>& numbers) { return sennit::parallel_reduce(numbers, 0); }
