// SPDX-License-Identifier: Apache-2.0
// A function that counts for itself.
#include <sennit/algorithm/each.hpp>

#include <vector>

auto numbered(std::vector<int>& x) {
  return sennit::each(x) | sennit::lazy::map([n = 0](int v) mutable { return v + n++; }) |
         sennit::lazy::sum();
}
