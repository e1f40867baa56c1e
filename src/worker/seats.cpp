// SPDX-License-Identifier: Apache-2.0
// Which threads are workers of a runtime now, and who is told of that.
#include "system/thread_id.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker_listener.hpp"

#include <utility>

namespace sennit::detail {

void runtime_core::seat_locked(worker& seat) noexcept {
  seat.thread = thread_id();
  seated_.store(seated_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  note_at_work();
  for (worker_listener* l = listeners_; l != nullptr; l = l->next_listener) l->comes(seat.thread);
}

void runtime_core::unseat_locked(worker& seat) noexcept {
  for (worker_listener* l = listeners_; l != nullptr; l = l->next_listener) l->rests(seat.thread);
  seat.thread = 0;
  seated_.store(seated_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  note_at_work();
}

void runtime_core::add_listener(worker_listener& added) noexcept {
  const std::lock_guard guard(membership_);
  added.next_listener = std::exchange(listeners_, &added);
  has_listener_.store(true, std::memory_order_relaxed);
  for (unsigned i = 0; i < worker_count(); ++i) {
    worker& w = worker_at(i);
    if (w.thread == 0) continue;
    added.comes(w.thread);
    // Where it sleeps it did not say so: it wakes, and does as it falls asleep again.
    w.parking().unpark();
  }
}

void runtime_core::remove_listener(worker_listener& gone) noexcept {
  const std::lock_guard guard(membership_);
  worker_listener** at = &listeners_;
  while (*at != &gone) at = &(*at)->next_listener;
  *at = gone.next_listener;
  has_listener_.store(listeners_ != nullptr, std::memory_order_relaxed);
}

void runtime_core::note_rest(const worker& w) noexcept {
  const std::lock_guard guard(membership_);
  for (worker_listener* l = listeners_; l != nullptr; l = l->next_listener) l->rests(w.thread);
}

void runtime_core::note_return(const worker& w) noexcept {
  const std::lock_guard guard(membership_);
  for (worker_listener* l = listeners_; l != nullptr; l = l->next_listener) l->comes(w.thread);
}

}  // namespace sennit::detail
