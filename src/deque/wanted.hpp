// SPDX-License-Identifier: Apache-2.0
// What a worker that searches may take.
#pragma once

#include <sennit/detail/colors.hpp>
#include <sennit/region.hpp>

#include <atomic>

namespace sennit::detail {

struct wanted {
  color_set colors = all_colors;
  // The thief takes work of `within`, of `or_within`, or of a region inside one of them. If `within` is null,
  // the thief takes any work and `or_within` is ignored.
  const region_state* within = nullptr;
  const region_state* or_within = nullptr;

  // Precondition: the caller keeps the region from ending.
  bool admits(const region_state* r) const noexcept {
    if (within == nullptr) return true;
    for (; r != nullptr; r = r->outer) {
      if (r == within || r == or_within) return true;
    }
    return false;
  }
  // Work whose colors no worker has can be taken only by a thief that takes all colors.
  bool suits(color_set c) const noexcept { return colors == all_colors || (c & colors) != 0; }
};

// What a worker may take, except for colors. Any thread may read it. See "Guests" in docs/protocols/regions.md.
class wish {
 public:
  // Null: anything.
  void restrict_to(const region_state* only) noexcept {
    only_.store(only, std::memory_order_relaxed);
    also_.store(nullptr, std::memory_order_relaxed);
  }
  void admit_also(const region_state* r) noexcept { also_.store(r, std::memory_order_relaxed); }
  wanted now() const noexcept {
    return {.within = only_.load(std::memory_order_relaxed),
            .or_within = also_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<const region_state*> only_{nullptr};
  std::atomic<const region_state*> also_{nullptr};
};

}  // namespace sennit::detail
