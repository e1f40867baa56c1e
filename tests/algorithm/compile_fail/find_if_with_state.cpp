// SPDX-License-Identifier: Apache-2.0
// A predicate that counts for itself.
#include <sennit/algorithm/find.hpp>

#include <vector>

bool ten(const std::vector<int>& x) {
  return sennit::parallel_any_of(x, [n = 0](int) mutable { return ++n == 10; });
}
