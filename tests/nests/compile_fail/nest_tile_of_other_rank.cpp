// SPDX-License-Identifier: Apache-2.0
// A triangle has two dimensions.
#include <sennit/sennit.hpp>

void called() {
  sennit::parallel_for_nest(sennit::upper_triangle(9), [](const sennit::tile<3>&) {});
}
