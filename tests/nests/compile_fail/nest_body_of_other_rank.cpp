// SPDX-License-Identifier: Apache-2.0
// The error is to say what a body must take, not to point at a call deep inside the library.
#include <sennit/sennit.hpp>

void called() {
  sennit::parallel_for_nest({3, 4}, [](long, long, long) {});
}
