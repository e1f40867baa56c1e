// SPDX-License-Identifier: Apache-2.0
// A map that returns nothing is a loop, not a reduction.
#include <sennit/parallel_reduce.hpp>

int sum() {
  return sennit::parallel_reduce(0, 10, 0, [](int) {});
}
