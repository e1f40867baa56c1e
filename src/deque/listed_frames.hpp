// SPDX-License-Identifier: Apache-2.0
// The frames of a worker that are in no deque: promoted ones, for any worker, and donated ones, for this worker.
#pragma once

#include "deque/frame_list.hpp"
#include "deque/steal_lock.hpp"
#include "deque/strand_here.hpp"
#include "deque/wanted.hpp"

#include <sennit/detail/fork/frame.hpp>

#include <cstddef>

namespace sennit::detail {

class worker;

class listed_frames {
 public:
  // They have the lock of the deque beside them, so that a frame is always in one of both.
  listed_frames(steal_lock& lock, const strand_here& here, const wish& own) noexcept
      : lock_(lock), here_(here), wish_(own) {}

  // --- Anyone.

  // A frame that has left the deque, or never was in it.
  void add(frame& f) noexcept;
  // One that lets a strand go on that has waited. It comes before all others but those.
  void add_first(frame& f) noexcept;
  // A branch of the strand that runs here: where its schedule's hooks are strict, only the strand can
  // have it.
  void add_branch(frame& f) noexcept;
  // The oldest frame that is wanted, claimed. Where there are many others, only if the caller insists.
  frame* take(const wanted& what, bool insist) noexcept;
  // The oldest frame, claimed, if it lets a strand go on.
  frame* take_first(const wanted& what) noexcept;
  // Whether something is listed that anybody can have. A hint.
  bool any() const noexcept { return listed_.any(); }

  // The frame is for the worker here; nobody can have it back. True: others may begin with it, too, now or if the
  // worker is late.
  bool donate(frame& f) noexcept;
  // The oldest of those that the worker here, which calls it, may begin with, claimed.
  frame* take_donated(worker& by) noexcept;
  bool has_donation(worker& by) noexcept;
  // A hint.
  bool any_donation() const noexcept { return donated_.any(); }

  // Claims a frame that was promoted, for the strand that opened it. False: somebody else has the frame.
  static bool reclaim(frame& f) noexcept;

  // --- Under the lock.

  void append(frame& f) noexcept;
  // What a thief may have, claimed: the oldest listed frame, or a donation that the worker here is too busy for. A thief
  // that insists has time to look at a long list, and at donations.
  frame* take_promoted(const wanted& what, bool insist) noexcept;
  bool has_open_donation(const wanted& what) const noexcept { return open_donation(what) != nullptr; }
  bool has(const wanted& what) const noexcept {
    return oldest(what, true) != nullptr || has_open_donation(what);
  }
  // How many workers could take something; at most `most`.
  unsigned count(unsigned most) const noexcept;
  // The worker's thread has left and will not take these frames. False: a thread has come back.
  void abandon(bool for_good) noexcept { abandoned_ = for_good; }
  // When others may begin with the first donation that is the worker's alone until then; 0: there is none.
  std::uint64_t donation_opens_ns() noexcept;
  // For the watchdog: all frames.
  struct found {
    std::size_t frames = 0;
    const fiber* oldest_opener = nullptr;
  };
  found look() const noexcept;

 private:
  frame* take_oldest(const wanted& what, bool all) noexcept;
  frame* take_open_donation(const wanted& what) noexcept;
  frame* oldest(const wanted& what, bool all) const noexcept;
  bool suits(const wanted& what, frame& listed) const noexcept;
  bool may_begin(worker& by, frame& donated) const noexcept;
  void tell_of_vain_look(worker& by) const noexcept;
  bool open_to_others(frame& donated) const noexcept;
  std::uint64_t opens_ns(frame& donated) const noexcept;
  frame* open_donation(const wanted& what) const noexcept;
  frame* donation_for(worker& by) const noexcept;
  static bool reclaim_listed(frame& f) noexcept;

  steal_lock& lock_;
  const strand_here& here_;
  const wish& wish_;
  bool abandoned_ = false;
  frame_list listed_;    // claimable by anyone
  frame_list withheld_;  // claimable by their strands only
  frame_list donated_;   // for the worker here
};

// The strand has no need for the state of its frame any more.
void end_state(frame& f) noexcept;

}  // namespace sennit::detail
