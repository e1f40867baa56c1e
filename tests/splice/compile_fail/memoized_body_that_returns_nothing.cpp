// SPDX-License-Identifier: Apache-2.0
// Only trees can be run again without their effects.
#include <sennit/memoized_splice.hpp>

void twice() {
  sennit::memoized_splice steps([](int) {});
  steps.run(2);
}
