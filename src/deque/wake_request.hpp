// SPDX-License-Identifier: Apache-2.0
// What sleepers want to know of a deque: its owner's next push that is worth a wake.
#pragma once

#include "deque/gates.hpp"
#include "deque/slots.hpp"
#include "policy/waking.hpp"
#include "sleep/sleepers.hpp"
#include "system/barrier.hpp"
#include "system/nanoseconds.hpp"

#include <cstdint>

namespace sennit::detail {

// Under the lock of the deque.
class wake_request {
 public:
  bool pending() const noexcept { return pending_; }
  // Since when the gate has been shut for it.
  barriers::ticket since() const noexcept { return since_; }
  void begin(barriers::ticket now) noexcept {
    pending_ = true;
    waking_.forget();
    since_ = now;
    since_ns_ = now_ns();
  }
  // The owner has met the gate. Returns true if the owner must wake a sleeper. A worker that stops watching locks this
  // deque afterwards, so no push is missed.
  bool met(const sleepers& asleep, bool pushed, std::uint64_t epoch, filled_slots in) noexcept {
    if (!pending_) return false;
    using verdict = policy::waking::verdict;
    const bool watched = asleep.watched();
    const verdict said = waking_.met(watched, pushed, watched ? now_ns() : 0, epoch, in.head, in.tail);
    pending_ = said == verdict::wait;
    return said == verdict::wake;
  }
  bool has_been_met() const noexcept { return !pending_ || waking_.noted(); }
  // Called by the worker that watches. Returns true if the deque has work that lasts.
  bool lasts(std::uint64_t epoch, filled_slots in) noexcept {
    return pending_ && waking_.lasts(now_ns(), since_ns_, epoch, in.head, in.tail);
  }
  unsigned reasons() const noexcept { return pending_ ? unsigned{wake_wanted} : 0U; }

 private:
  bool pending_ = true;  // a new deque may come after its runtime's workers went to sleep
  barriers::ticket since_ = 0;
  std::uint64_t since_ns_ = 0;
  policy::waking waking_;  // the pushes that sleepers may have to be told of
};

}  // namespace sennit::detail
