// SPDX-License-Identifier: Apache-2.0
// A comparator that counts for itself.
#include <sennit/parallel_sort.hpp>

#include <vector>

void sort(std::vector<int>& x) {
  sennit::parallel_sort(x, [n = 0](int a, int b) mutable { return ++n > 0 && a < b; });
}
