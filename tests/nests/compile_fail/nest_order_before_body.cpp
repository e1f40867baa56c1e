// SPDX-License-Identifier: Apache-2.0
// The order comes last.
#include <sennit/sennit.hpp>

void called() {
  sennit::parallel_for_nest({3, 4}, sennit::morton, [](long, long) {});
}
