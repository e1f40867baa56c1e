// SPDX-License-Identifier: Apache-2.0
// The place where other libraries have them.
#include <sennit/parallel_for.hpp>

void nothing() {
  sennit::parallel_for(0, 10, sennit::grain(5), [](int) {});
}
