// SPDX-License-Identifier: Apache-2.0
// A function that counts for itself.
#include <sennit/algorithm/for_each.hpp>

#include <list>

void visit(std::list<int>& x) {
  sennit::parallel_for_each(x, [n = 0](int& v) mutable { v = n++; });
}
