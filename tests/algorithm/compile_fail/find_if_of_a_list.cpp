// SPDX-License-Identifier: Apache-2.0
// A list cannot be split.
#include <sennit/algorithm/find.hpp>

#include <list>

bool negative(const std::list<int>& x) {
  return sennit::parallel_any_of(x, [](int e) { return e < 0; });
}
