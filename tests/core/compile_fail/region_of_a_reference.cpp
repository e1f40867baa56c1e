// SPDX-License-Identifier: Apache-2.0
// There is no std::optional of a reference.
#include <sennit/sennit.hpp>

void called(sennit::region& region, int& x) {
  region.run([&x]() -> int& { return x; });
}
