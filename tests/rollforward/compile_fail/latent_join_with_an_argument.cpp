// SPDX-License-Identifier: Apache-2.0
// The indices of a loop, in a construct that has none.
#include <sennit/latent_join.hpp>

void called() {
  sennit::latent_join([] {}, [](int) {});
}
