// SPDX-License-Identifier: Apache-2.0
// The frames of a worker: those in its deque, those that have left it, and who wants some of them. Each option is a
// gate handler that has reasons to shut the gates of the deque.
#pragma once

#include "deque/deque.hpp"
#include "deque/eligibility.hpp"
#include "deque/leave_request.hpp"
#include "deque/listed_frames.hpp"
#include "deque/promotions.hpp"
#include "deque/request.hpp"
#include "deque/sign_request.hpp"
#include "deque/strand_here.hpp"
#include "deque/wake_request.hpp"
#include "deque/wanted.hpp"
#include "system/reserve.hpp"

#include <sennit/detail/fork/divisible.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sennit::detail {

class worker_frames {
 public:
  // Reserves room for `slots` latent frames; throws std::bad_alloc if the system has none. `is_fenced`: the owner
  // fences. `lasting`: reasons for which the gates are shut as long as there is the worker. `beat_ns`: see promotions.
  worker_frames(std::size_t slots, barriers& shared, bool is_fenced, unsigned lasting, std::uint64_t beat_ns,
                unsigned workers = 2);
  worker_frames(const worker_frames&) = delete;
  worker_frames& operator=(const worker_frames&) = delete;
  ~worker_frames() = default;

  // Where a function takes `memory`, that is the calling thread's: the function fills it before it takes the lock, and
  // allocates nothing under the lock.

  // --- The owner, whose thread-local state these become and cease to be. The deque is empty at both.
  void attach(worker_tls& tls) noexcept;
  // `for_good`: the thread leaves the seat, as a guest does.
  void detach(bool for_good) noexcept;
  // The strand that runs on this worker begins, or goes on, in these regions. `thieves_search`: a thief searches, so the
  // first push is treated as requested. `sleepers`: a worker sleeps. It may want this strand's next push although it did
  // not want the pushes of the strand before. Returns true if others may begin with donated frames, because this worker is
  // busy now.
  bool enter(scope* innermost, bool thieves_search = false, bool sleepers = false) noexcept;
  // The strand has come to its end.
  void leave() noexcept;
  scope* innermost() const noexcept { return here_.innermost(); }
  slot* bottom() const noexcept { return deque_.bottom(); }
  // Under the lock: what is older has left.
  const slot* oldest() const noexcept { return deque_.head(); }
  // See deque.
  bool empty() const noexcept { return deque_.empty(); }
  bool undisturbed() const noexcept { return deque_.undisturbed(); }
  void forget_positions() noexcept { deque_.forget_positions(); }
  // As long as it stays, the strand is the same one, too.
  std::uint64_t epoch() const noexcept { return deque_.epoch(); }
  // Reasons for which the gates stay shut, whatever the owner answers: the lasting ones, and those of the strand's region.
  unsigned sticky() const noexcept { return here_.reasons() | deque_.lasting_reasons(); }

  // The owner met the push gate. Answers those who shut the gate, and opens it unless a reason remains. `wake`: a
  // sleeper must be woken for this push. `room`: the deque had room for the pushed frame. `handed`: the owner passes
  // this frame on; the frame is no longer in the deque.
  struct opened {
    bool wake;
    bool room;
    frame* handed;
  };
  opened open_push_gate(const sleepers& asleep, bool pushed, reserve& memory) noexcept;
  // The pop of a frame that has left its deque has stored a null tail: stores the tail that a pop by one would have left.
  void lower_tail() noexcept;
  // After a pop met the gate, tail being lowered: `mine` if the frame was still in the deque. Else it has
  // left it, and the deque is empty now.
  struct popped {
    bool mine;
    frame* handed;
  };
  popped pop(reserve& memory) noexcept {
    if (deque_.pop()) return {.mine = true, .handed = nullptr};
    return pop_locked(memory);
  }
  // What was handed over has been passed on: thieves may ask again.
  void handed_on() noexcept;
  // The workers that searched have work now. The next push keeps its frame.
  void searchers_served() noexcept;
  // The strand's latest frame has been stolen: the next one is handed over at its push, without being asked
  // for.
  void expect_thief() noexcept;
  // The owner has given iterations of its newest work back: where that was passed over as exhausted, it is in the
  // deque again.
  void readmit(divisible& newest) noexcept;
  // Under the lock. Puts divisible work in the deque as the newest, for workers of these colors. `again`: it was there
  // before and has left, so all that was older has left, too. False: there is no room, or younger frames are there.
  bool admit(divisible& newest, color_set colors, bool again) noexcept;
  // The strand leaves the worker: moves all frames to the list of claimable ones. True if there were any.
  bool promote_all(reserve& memory) noexcept;
  // Takes the newest branch out, so that it can go to another worker. Moves all older frames to a list from which
  // their strand can take them back. `listed`: thieves can take the older frames, too.
  struct split_off {
    frame* newest;  // null: there is no memory for that, and nothing has changed
    bool listed;
  };
  split_off split_off_newest(reserve& memory) noexcept;
  // Some region has been cancelled: shuts the gates if the strand here is in it.
  void region_cancelled() noexcept;

  // --- Anyone.
  // Claims the oldest claimable frame. Returns null if there is none yet, if another thief has the lock, or if the thief
  // does not want the oldest one: then no younger frame is looked at. An owner that does not fence is asked first.
  // `insist`: enough rounds have passed to look at what came of that.
  frame* steal(bool insist, const wanted& what, reserve& memory) noexcept;
  // Whether there is a frame that such a worker may take.
  bool has_work(const wanted& what = {}) noexcept;
  // How many workers could take something, as far as can be seen; at most `most`.
  unsigned work_for(unsigned most) noexcept;
  // A sleeper wants to know of the next push. Since when the gate has been shut for that.
  barriers::ticket ask_for_wake() noexcept;
  // Whether there is something that will be there for a while. The worker that watches calls it some time after
  // ask_for_wake(). `met`: the owner has met the gate since.
  struct watched {
    bool lasts;
    bool met;
  };
  watched look_again() noexcept;
  // The worker is ordered to leave: its strand must be handed over at its next push that has room.
  void ask_to_leave() noexcept;
  // For the watchdog: a value that differs from one call to the next if the strand has gone on meanwhile. The call shuts
  // a gate, which the strand meets at its next push or block of a loop.
  struct sign {
    std::uint64_t signs = 0;
    std::uint64_t epoch = 0;
    const slot* tail = nullptr;
    const fiber* strand = nullptr;
    friend bool operator==(const sign&, const sign&) = default;
  };
  sign ask_for_sign() noexcept;
  // For the watchdog: the frames of this worker. The fibers may end as soon as the call returns.
  struct holding {
    std::size_t latent = 0;
    std::size_t listed = 0;
    const fiber* oldest_listed = nullptr;  // whose strand opened it
    const fiber* strand = nullptr;         // that runs here
  };
  holding look() noexcept;
  // While the lock is held, no frame leaves. The process forks under it.
  steal_lock& lock() noexcept { return deque_.lock(); }

  listed_frames& listed() noexcept { return listed_; }
  detail::promotions& promotions() noexcept { return promotions_; }
  detail::wish& wish() noexcept { return wish_; }
  const detail::wish& wish() const noexcept { return wish_; }

 private:
  unsigned reasons() const noexcept;
  void follow_reasons() noexcept;
  void follow_region() noexcept;
  void end_strictness() noexcept;
  void begin_anew() noexcept;
  popped pop_locked(reserve& memory) noexcept;
  void ask(bool next_push) noexcept;
  void ask_ahead() noexcept;
  frame* hand_over_oldest(reserve& memory) noexcept;
  void turn_down() noexcept;
  void list(const slot* at, reserve& memory) noexcept;
  bool worth_a_look(bool insist) const noexcept;
  // If there is no frame yet, the answer says whether the thief may ask for a first one.
  eligibility eligible_for(const wanted& what) noexcept {
    if (!deque_.has_owner()) return {};
    return eligible(what, here_, promotions_, deque_.colors_of_oldest());
  }
  bool ask_or_withdraw() noexcept;
  frame* claim(const eligibility& may, reserve& memory) noexcept;
  void insist() noexcept;

  // What follows lies beside its lock, and changes under that.
  [[no_unique_address]] deque deque_;
  barriers& barriers_;
  strand_here here_;
  request request_;
  wake_request wake_;
  sign_request sign_;
  leave_request leave_;
  listed_frames listed_{deque_.lock(), here_, wish_};
  // Hints, read without the lock: thieves look here before they take it.
  // Thieves find nothing here except in the list. Either the deque has no owner, or the owner was asked, and its
  // frame is still on the way.
  alignas(128) std::atomic<bool> nothing_to_steal_{true};
  detail::wish wish_;
  detail::promotions promotions_;
};

}  // namespace sennit::detail
