// SPDX-License-Identifier: Apache-2.0
// Fails if the installed checker does not see that the effects are too small.
#include <sennit/data_regions.hpp>
#include <sennit/splice.hpp>

int main() {
  int a[2] = {};
  sennit::splice(2, [&](int t) {
    const sennit::call_effects fx{sennit::writes(sennit::memory_range(a, 1))};
    sennit::step(fx, [&] {
      a[0] = 1;
      a[t] = 2;
    });
  });
}
