// SPDX-License-Identifier: Apache-2.0
// Extents as arguments of their own.
#include <sennit/sennit.hpp>

void called() {
  sennit::parallel_for_nest(3, 4, [](long, long) {});
}
