// SPDX-License-Identifier: Apache-2.0
// A number where an iterator is to be.
#include <sennit/algorithm/select.hpp>

#include <vector>

void select(std::vector<int>& x) { sennit::parallel_nth_element(x, 5); }
