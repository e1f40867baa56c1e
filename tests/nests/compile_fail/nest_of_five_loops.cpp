// SPDX-License-Identifier: Apache-2.0
// Nests have one to four loops.
#include <sennit/sennit.hpp>

void called() {
  sennit::parallel_for_nest({1, 2, 3, 4, 5}, [](long, long, long, long, long) {});
}
