// SPDX-License-Identifier: Apache-2.0
#include "stack/fiber_supply.hpp"

#include <new>

namespace sennit::detail {

fiber* fiber_supply::take(void (*entry)() noexcept) noexcept {
  {
    const std::lock_guard guard(lock_);
    if (fiber* const pooled = pool_.take()) return pooled;
  }
  auto* made = new (std::nothrow) fiber(stack_bytes_, entry);
  if (made != nullptr && !made->usable()) {
    delete made;
    made = nullptr;
  }
  if (made != nullptr) {
    made_.fetch_add(1, std::memory_order_relaxed);
    stacks_.fetch_add(1, std::memory_order_relaxed);
  }
  return made;
}

void fiber_supply::put(fiber& suspended) noexcept {
  {
    const std::lock_guard guard(lock_);
    if (pool_.put(suspended)) return;
  }
  drop(suspended);
}

void fiber_supply::drop(fiber& suspended) noexcept {
  stacks_.fetch_sub(1, std::memory_order_relaxed);
  delete &suspended;
}

void fiber_supply::take_surplus(fiber_pool& from, unsigned but) noexcept {
  while (from.count() > but) put(*from.take());
}

bool fiber_supply::end_unneeded() noexcept {
  fiber_pool unused(most_kept_);
  bool done = false;
  {
    const std::lock_guard guard(lock_);
    for (unsigned n = pool_.fewest(); n > 0; --n) (void)unused.put(*pool_.take());
    pool_.count_anew();
    done = pool_.count() == 0;
  }
  while (fiber* const f = unused.take()) drop(*f);
  return done;
}

}  // namespace sennit::detail
