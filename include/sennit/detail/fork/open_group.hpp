// SPDX-License-Identifier: Apache-2.0
// What the end of a region must know of groups.
#pragma once

#include <cstdint>

namespace sennit::detail {

struct spawned_child {
  std::uint64_t order = 0;  // among all children that its strand has pushed
};

// A group with children that a strand has pushed and not waited for.
struct open_group {
  open_group* next_open = nullptr;  // of that strand
  spawned_child* newest = nullptr;

  // Whether it has one beyond the first `spawns` of the strand.
  bool has_child_after(std::uint64_t spawns) const noexcept {
    return newest != nullptr && newest->order > spawns;
  }
};

}  // namespace sennit::detail
