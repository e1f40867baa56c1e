// SPDX-License-Identifier: Apache-2.0
// A bound is an integer or an iterator, as the message is to say.
#include <sennit/parallel_for.hpp>

void nothing() {
  sennit::parallel_for(0, 1.5, [](int) {});
}
