// SPDX-License-Identifier: Apache-2.0
// A part without left() and right().
#include <sennit/splice.hpp>

struct lump {
  long size() const { return 1; }
};

void annotated() {
  sennit::splice(
      2, [](int) { return sennit::divided{lump{}, 1, [](lump) { return sennit::effects(); }, [](lump) {}}; });
}
