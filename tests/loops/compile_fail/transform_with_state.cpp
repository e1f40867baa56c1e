// SPDX-License-Identifier: Apache-2.0
// A function that counts for itself.
#include <sennit/parallel_transform.hpp>

#include <vector>

void shuffle(std::vector<int>& x) {
  sennit::parallel_transform(x, x, [n = 0](int v) mutable { return v + n++; });
}
