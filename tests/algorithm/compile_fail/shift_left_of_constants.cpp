// SPDX-License-Identifier: Apache-2.0
// The elements cannot be moved.
#include <sennit/algorithm/shift.hpp>

#include <vector>

void shift(const std::vector<int>& x) { sennit::parallel_shift_left(x, 3); }
