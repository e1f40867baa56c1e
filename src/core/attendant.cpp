#include "core/attendant.hpp"

#include "core/runtime_core.hpp"
#include "core/thread_id.hpp"

#include <utility>

namespace sennit::detail {

void runtime_core::seat_locked(worker& place) noexcept {
  place.thread = thread_id();
  seats_.store(seats_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  note_at_work();
  for (attendant* a = attendants_; a != nullptr; a = a->next_attendant) a->comes(place.thread);
}

void runtime_core::unseat_locked(worker& place) noexcept {
  for (attendant* a = attendants_; a != nullptr; a = a->next_attendant) a->rests(place.thread);
  place.thread = 0;
  seats_.store(seats_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  note_at_work();
}

void runtime_core::attend(attendant& added) noexcept {
  const std::lock_guard guard(membership_);
  added.next_attendant = std::exchange(attendants_, &added);
  attended_.store(true, std::memory_order_relaxed);
  for (unsigned i = 0; i < worker_count(); ++i) {
    worker& w = worker_at(i);
    if (w.thread == 0) continue;
    added.comes(w.thread);
    // Where it sleeps it did not say so: it wakes, and does as it falls asleep again.
    w.parking().unpark();
  }
}

void runtime_core::dismiss(attendant& gone) noexcept {
  const std::lock_guard guard(membership_);
  attendant** at = &attendants_;
  while (*at != &gone) at = &(*at)->next_attendant;
  *at = gone.next_attendant;
  attended_.store(attendants_ != nullptr, std::memory_order_relaxed);
}

void runtime_core::note_rest(const worker& w) noexcept {
  const std::lock_guard guard(membership_);
  for (attendant* a = attendants_; a != nullptr; a = a->next_attendant) a->rests(w.thread);
}

void runtime_core::note_return(const worker& w) noexcept {
  const std::lock_guard guard(membership_);
  for (attendant* a = attendants_; a != nullptr; a = a->next_attendant) a->comes(w.thread);
}

}  // namespace sennit::detail
