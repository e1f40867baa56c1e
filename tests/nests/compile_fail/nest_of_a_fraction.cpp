// SPDX-License-Identifier: Apache-2.0
// An extent is a number of indices.
#include <sennit/sennit.hpp>

void called(double n) {
  sennit::parallel_for_nest({n, 4.0}, [](long, long) {});
}
