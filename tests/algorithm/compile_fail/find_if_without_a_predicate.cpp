// SPDX-License-Identifier: Apache-2.0
// Options in the predicate's place.
#include <sennit/algorithm/find.hpp>
#include <sennit/parallel_for.hpp>

#include <vector>

bool any(const std::vector<int>& x) { return sennit::parallel_any_of(x, sennit::grain(10)); }
