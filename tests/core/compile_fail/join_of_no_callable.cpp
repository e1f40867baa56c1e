// SPDX-License-Identifier: Apache-2.0
// The error is to name the constraint, not some line inside the library.
#include <sennit/sennit.hpp>

void called() {
  sennit::join([] {}, 5);
}
