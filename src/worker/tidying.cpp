// Stacks that nobody needs any more are given back: see runtime_core::tidy().
#include "worker/runtime_core.hpp"

#include <new>

namespace sennit::detail {

namespace {
// That an idle runtime keeps: the one that the worker sleeps on, and another.
constexpr int stacks_a_worker = 2;
}  // namespace

fiber* runtime_core::take_fiber(void (*entry)() noexcept) noexcept {
  {
    const std::lock_guard guard(pooling_);
    if (fiber* const pooled = pool_.take()) return pooled;
  }
  auto* made = new (std::nothrow) fiber(settings_.stack_bytes, entry);
  if (made != nullptr && !made->usable()) {
    delete made;
    made = nullptr;
  }
  if (made != nullptr) {
    fibers_.fetch_add(1, std::memory_order_relaxed);
    stacks_.fetch_add(1, std::memory_order_relaxed);
  }
  return made;
}

void runtime_core::put_fiber(fiber& suspended) noexcept {
  {
    const std::lock_guard guard(pooling_);
    if (pool_.put(suspended)) return;
  }
  drop(suspended);
}

void runtime_core::drop(fiber& suspended) noexcept {
  stacks_.fetch_sub(1, std::memory_order_relaxed);
  delete &suspended;
}

void runtime_core::take_surplus(fiber_pool& from, unsigned but) noexcept {
  while (from.count() > but) put_fiber(*from.take());
}

bool runtime_core::too_many_stacks() const noexcept {
  return stacks_.load(std::memory_order_relaxed) > stacks_a_worker * static_cast<int>(numbered_workers());
}

bool runtime_core::begin_tidying() noexcept {
  if (!too_many_stacks() || tidying_.load(std::memory_order_relaxed)) return false;
  return !tidying_.exchange(true, std::memory_order_relaxed);
}

void runtime_core::end_tidying() noexcept { tidying_.store(false, std::memory_order_relaxed); }

bool runtime_core::tidy() noexcept {
  {
    const std::lock_guard guard(membership_);
    for (worker* const place : free_guests_)
      take_surplus(place->pool(), place->index() == thread_places() ? 1 : 0);
  }
  fiber_pool unused(most_pooled());
  bool done = false;
  {
    const std::lock_guard guard(pooling_);
    for (unsigned n = pool_.fewest(); n > 0; --n) (void)unused.put(*pool_.take());
    pool_.count_anew();
    done = pool_.count() == 0;
  }
  while (fiber* const f = unused.take()) drop(*f);
  return done;
}

// After a thread has left stacks behind while the runtime's own may be asleep for good.
void runtime_core::have_tidied() noexcept {
  if (!too_many_stacks()) return;
  if (thread_places() == 0) {
    // Nobody is there who could wait for a while.
    while (!tidy()) {
    }
    return;
  }
  // Who tidies already, looks again.
  if (!tidying_.load(std::memory_order_relaxed)) asleep_.nudge();
}

}  // namespace sennit::detail
