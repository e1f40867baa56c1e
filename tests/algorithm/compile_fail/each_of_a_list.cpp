// SPDX-License-Identifier: Apache-2.0
// A list cannot be cut in the middle.
#include <sennit/algorithm/each.hpp>

#include <list>

long total(std::list<int>& numbers) { return sennit::each(numbers) | sennit::lazy::sum(); }
