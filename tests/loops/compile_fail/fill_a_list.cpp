// SPDX-License-Identifier: Apache-2.0
// A list cannot be cut in the middle.
#include <sennit/parallel_transform.hpp>

#include <list>

void clear(std::list<int>& numbers) { sennit::parallel_fill(numbers.begin(), numbers.end(), 0); }
