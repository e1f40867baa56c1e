// SPDX-License-Identifier: Apache-2.0
// A part that has been run already, in place of a call of it.
#include <sennit/splice.hpp>

int sweep(int);

void annotated() {
  const sennit::call_effects fx{};
  sennit::sequence(sweep(1));
}
