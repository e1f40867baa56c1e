// SPDX-License-Identifier: Apache-2.0
// Effects are declared once for each call.
#include <sennit/splice.hpp>

void annotated() {
  const sennit::call_effects fx{};
  const sennit::call_effects again = fx;
}
