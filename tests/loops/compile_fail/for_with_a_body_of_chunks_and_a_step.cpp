// SPDX-License-Identifier: Apache-2.0
// A chunk has no bounds where there is a step.
#include <sennit/parallel_for.hpp>

void nothing() {
  sennit::parallel_for(0, 10, 2, [](int, int) {});
}
