// SPDX-License-Identifier: Apache-2.0
// What thieves have asked of a deque's owner.
#pragma once

#include "deque/gates.hpp"
#include "policy/asking.hpp"

#include <sennit/detail/assert.hpp>

#include <cstdint>

namespace sennit::detail {

// Under the lock of the deque.
class request {
 public:
  explicit request(unsigned workers) noexcept : asking_(workers) {}

  // A thief waits for a frame.
  bool pending() const noexcept { return pending_; }
  // There was no frame to hand over: the next push must hand its frame over.
  bool for_next_push() const noexcept { return pending_ && asked_ns_ == 0; }
  // Whether the owner has been asked for the work that is there now. `none`: the deque is empty, so a request for the
  // next push is such a request.
  bool asks_for(bool none) const noexcept { return pending_ && (none || !for_next_push()); }
  bool insists() const noexcept { return insists_; }

  // A thief asks for a frame that is there, or for that of the next push.
  void ask(bool next_push, std::uint64_t now_ns) noexcept {
    pending_ = true;
    deferred_ = false;
    asked_ns_ = next_push ? 0 : now_ns;
  }
  // A thief found nothing but chunks under way: the owner must hand over a part of what is left of one.
  void insist(std::uint64_t now_ns) noexcept {
    ask(false, now_ns);
    insists_ = true;
  }
  void answer() noexcept {
    pending_ = false;
    deferred_ = false;
    insists_ = false;
    asked_ns_ = 0;
  }
  // The owner's loops have too little left. Pushes do not meet the gate meanwhile.
  void defer(bool too_little) noexcept { deferred_ = too_little; }
  // The deque is empty now: the request is for the next push.
  void wait_for_push() noexcept {
    deferred_ = false;
    asked_ns_ = 0;
  }
  // The owner has had as long as a barrier takes.
  bool overdue(std::uint64_t now_ns) const noexcept { return asking_.silent(now_ns - asked_ns_); }
  void barrier_took(std::uint64_t ns) noexcept { asking_.barrier_took(ns); }

  unsigned reasons() const noexcept {
    SENNIT_ASSERT(pending_ || (!deferred_ && !insists_ && asked_ns_ == 0));
    return (pending_ && !deferred_ ? unsigned{frame_wanted} : 0U) |
           (pending_ && asked_ns_ != 0 ? unsigned{answer_wanted} : 0U);
  }

 private:
  bool pending_ = false;
  bool deferred_ = false;
  bool insists_ = false;
  std::uint64_t asked_ns_ = 0;  // 0: the request is for the next push
  policy::asking asking_;
};

}  // namespace sennit::detail
