// SPDX-License-Identifier: Apache-2.0
// The strand that runs on a deque's worker, and what its regions say.
#pragma once

#include "deque/gates.hpp"
#include "deque/wanted.hpp"
#include "observe/trace_cursor.hpp"
#include "stack/fiber.hpp"

#include <sennit/detail/assert.hpp>
#include <sennit/region.hpp>

#include <atomic>
#include <utility>

namespace sennit::detail {

// Under the lock of the deque; the owner reads reasons() without it.
class strand_here {
 public:
  // Null: the strand leaves.
  void enter(scope* innermost) noexcept { innermost_ = innermost; }
  scope* innermost() const noexcept { return innermost_; }
  fiber* strand() const noexcept { return innermost_ != nullptr ? innermost_->strand : nullptr; }
  // The region's schedule is strict: workers take donated frames only.
  bool strict() const noexcept { return strict_; }

  // Why the strand's region has the gates shut.
  unsigned reasons() const noexcept { return reasons_.load(std::memory_order_relaxed); }
  // The region may have been cancelled, or be another one. Returns the reasons that have changed.
  unsigned follow_region() noexcept {
    const region_state* const region = innermost_ != nullptr ? innermost_->region : nullptr;
    const schedule_hooks* const by = hooks_of(region);
    strict_ = by != nullptr && by->strict();
    const bool stop = region != nullptr && region->stopped();
    const unsigned before = reasons();
    const unsigned after = (stop ? unsigned{cancelled} : 0U) | (by != nullptr ? unsigned{observed} : 0U);
    reasons_.store(after, std::memory_order_relaxed);
    return before ^ after;
  }
  // True: the strand is of another outside thread's region than the one before.
  bool follow_root() noexcept {
    if (innermost_ == nullptr) return false;
    const region_state* r = innermost_->region;
    while (!r->root && r->outer != nullptr) r = r->outer;
    return std::exchange(root_, r) != r;
  }
  // The strand's deque begins anew.
  void move_to(slot* bottom) noexcept { move_scopes(innermost_, bottom); }
  // Pops below it take the slow path, whoever has the frame: there ends a part of the strand that is not observed. Null: there
  // is none.
  slot* floor() const noexcept {
    for (const scope* s = innermost_; s != nullptr; s = s->outer)
      if (s->region->hidden) return s->first;
    return nullptr;
  }
  // In which the frame in that slot was pushed.
  region_state* region_of(const slot* at) const noexcept {
    SENNIT_ASSERT(innermost_ != nullptr);  // a frame is a strand's
    const scope* s = innermost_;
    while (s->outer != nullptr && at < s->first) s = s->outer;
    return s->region;
  }
  // Whether the strand is in a region that the thief may work for.
  bool runs_for(const wanted& what) const noexcept {
    return what.within == nullptr || (innermost_ != nullptr && what.admits(innermost_->region));
  }

 private:
  scope* innermost_ = nullptr;
  bool strict_ = false;
  std::atomic<unsigned> reasons_{0};
  const region_state* root_ = nullptr;  // around the latest strand's regions; only to be compared
};

}  // namespace sennit::detail
