// SPDX-License-Identifier: Apache-2.0
// The chunk size of other libraries.
#include <sennit/parallel_for.hpp>

void nothing() {
  sennit::parallel_for(0, 10, [](int) {}, 100);
}
