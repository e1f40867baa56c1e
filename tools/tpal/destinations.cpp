// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/destinations.hpp"

#include "tools/tpal/flow.hpp"

namespace tpal {

destinations::destinations(const program& p) : values_(labels_as_values(p)) {
  for (std::size_t b = 0; b < p.blocks.size(); ++b) {
    const annotation& note = p.blocks[b].note;
    if (note.is == annotation::kind::join_target) joins_.insert(joins_.end(), {b, note.block});
  }
}

std::vector<std::size_t> destinations::of(const operand& v) const {
  if (v.is == operand::kind::label) return {static_cast<std::size_t>(v.value)};
  return values_;
}

}  // namespace tpal
