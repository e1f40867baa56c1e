// SPDX-License-Identifier: Apache-2.0
// The algorithm for predicates has another name.
#include <sennit/algorithm/find.hpp>

#include <vector>

bool negative(const std::vector<int>& x) {
  return sennit::parallel_find(x, [](int e) { return e < 0; }) != x.end();
}
