// SPDX-License-Identifier: Apache-2.0
// Stacks that nobody needs any more are given back: see runtime_core::tidy().
#include "worker/runtime_core.hpp"

namespace sennit::detail {

namespace {
// That an idle runtime keeps: the one that the worker sleeps on, and another.
constexpr int stacks_a_worker = 2;
}  // namespace

bool runtime_core::too_many_stacks() const noexcept {
  return fibers_.stacks() > stacks_a_worker * static_cast<int>(numbered_workers());
}

bool runtime_core::begin_tidying() noexcept {
  if (!too_many_stacks() || tidying_.load(std::memory_order_relaxed)) return false;
  return !tidying_.exchange(true, std::memory_order_relaxed);
}

void runtime_core::end_tidying() noexcept { tidying_.store(false, std::memory_order_relaxed); }

bool runtime_core::tidy() noexcept {
  {
    const std::lock_guard guard(membership_);
    for (worker* const seat : free_guests_)
      fibers_.take_surplus(seat->pool(), seat->index() == thread_seats() ? 1 : 0);
  }
  return fibers_.end_unneeded();
}

// After a thread has left stacks behind while the runtime's own may be asleep for good.
void runtime_core::have_tidied() noexcept {
  if (!too_many_stacks()) return;
  if (thread_seats() == 0) {
    // Nobody is there who could wait for a while.
    while (!tidy()) {
    }
    return;
  }
  // A worker that tidies already looks again.
  if (!tidying_.load(std::memory_order_relaxed)) asleep_.nudge();
}

}  // namespace sennit::detail
