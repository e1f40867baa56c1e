// SPDX-License-Identifier: Apache-2.0
#include "worker/coloring.hpp"

#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <mutex>

namespace sennit::detail {

void coloring::add(posted_work& run) noexcept {
  const std::lock_guard guard(lock_);
  run.next_ = newest_;
  newest_ = &run;
  runs_.fetch_add(1, std::memory_order_relaxed);
}

void coloring::remove(posted_work& run) noexcept {
  const std::lock_guard guard(lock_);
  posted_work** at = &newest_;
  while (*at != &run) at = &(*at)->next_;
  *at = run.next_;
  runs_.fetch_sub(1, std::memory_order_relaxed);
}

frame* coloring::join(worker& by, bool own_only) noexcept {
  if (!lock_.try_lock()) return nullptr;
  const std::lock_guard guard(lock_, std::adopt_lock);
  const wanted what = by.frames().wish().now();
  posted_work* other = nullptr;
  for (posted_work* run = newest_; run != nullptr; run = run->next_) {
    const color_set there = run->waiting();
    if (there == 0 || !what.admits(run->region_)) continue;
    if ((there & color_bit(by.core().color_of(by, run->places()))) != 0) {
      if (frame* const strand = run->join_(*run, by)) return strand;
    } else if (!own_only) {
      other = run;
    }
  }
  return other != nullptr ? other->join_(*other, by) : nullptr;
}

}  // namespace sennit::detail
