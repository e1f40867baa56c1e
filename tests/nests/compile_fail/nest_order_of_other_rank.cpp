// SPDX-License-Identifier: Apache-2.0
// Tiles with two sides cannot cover a box of three dimensions.
#include <sennit/sennit.hpp>

void called() {
  sennit::parallel_for_nest({3, 4, 5}, [](long, long, long) {}, sennit::tiled(2, 2));
}
