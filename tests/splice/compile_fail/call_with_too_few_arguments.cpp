// SPDX-License-Identifier: Apache-2.0
// Arguments of another function.
#include <sennit/splice.hpp>

void sweep(int, int);

void annotated() {
  const sennit::call_effects fx{};
  sennit::sequence(sennit::call(sweep, 1));
}
