// SPDX-License-Identifier: Apache-2.0
// Iterators that go one step at a time.
#include <sennit/parallel_reduce.hpp>

#include <list>

int sum(const std::list<int>& numbers) { return sennit::parallel_reduce(numbers.begin(), numbers.end(), 0); }
