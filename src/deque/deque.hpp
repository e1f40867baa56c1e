// A worker's frames: the owner works at the tail, thieves at the head. docs/protocols/deque.md has the
// protocol.
#pragma once

#include "deque/gates.hpp"
#include "deque/listed_frames.hpp"
#include "deque/promotions.hpp"
#include "deque/request.hpp"
#include "deque/slots.hpp"
#include "deque/steal_lock.hpp"
#include "deque/strand_here.hpp"
#include "deque/wake_request.hpp"
#include "deque/wanted.hpp"
#include "system/barrier.hpp"

#include <sennit/detail/fork/divisible.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sennit::detail {

class deque {
 public:
  // Reserves room for `slots` frames; throws std::bad_alloc if the system has none. `is_fenced`: the owner
  // fences. `sticky`: reasons for which the gates stay shut. `beat_ns`: see promotions.
  deque(std::size_t slots, barriers& paid, bool is_fenced, unsigned sticky, std::uint64_t beat_ns);
  deque(const deque&) = delete;
  deque& operator=(const deque&) = delete;
  ~deque() = default;

  // --- The owner, whose thread-local state these become and cease to be. The deque is empty at both.
  void attach(worker_tls& tls) noexcept;
  // `for_good`: the thread leaves the place, as a guest does.
  void detach(bool for_good) noexcept;
  // The regions of the strand that runs on this worker. `frame_wanted`: thieves search, and would ask if they
  // had the time. `sleepers`: somebody sleeps, and may want to know of this strand's next push although that of
  // the strand before concerned nobody. True: others may begin with donated frames, because this worker is busy
  // now.
  bool enter(scope* innermost, bool frame_wanted = false, bool sleepers = false) noexcept;
  // The strand has come to its end.
  void leave() noexcept;
  scope* innermost() const noexcept { return here_.innermost(); }
  slot* bottom() const noexcept { return slots_.begin(); }
  // Whether the owner has nothing to be stolen. In the fence variant a hint: a thief may be about to put back
  // divisible work.
  bool empty() const noexcept {
    return tls_->tail.load(std::memory_order_relaxed) == head_.load(std::memory_order_relaxed);
  }
  // Whether nobody wants anything of the owner.
  bool undisturbed() const noexcept { return tls_->limit_beneath.load(std::memory_order_relaxed) != nullptr; }
  unsigned sticky() const noexcept { return sticky_.load(std::memory_order_relaxed); }

  // A push of the calling strand, which runs here: below the branch is work of these colors. False: it met the
  // gate.
  bool push_colored(frame& f, color_set colors) noexcept {
    return push_colored(reinterpret_cast<std::uintptr_t>(&f), colors);
  }
  bool push_colored(frame_with_state& f, color_set colors) noexcept {
    return push_colored(reinterpret_cast<std::uintptr_t>(&f) | frame_with_state::tag, colors);
  }
  // The owner met the push gate. Answers those who shut the gate, and opens it unless a reason remains. `wake`: a
  // sleeper is to be woken for this push. `room`: the deque had room for the pushed frame. `handed`: the owner passes
  // this frame on; the frame is no longer in the deque.
  struct opened {
    bool wake;
    bool room;
    frame* handed;
  };
  opened open_push_gate(const sleepers& asleep, bool pushed) noexcept;
  // After a pop met the gate, tail being lowered: `mine` if the frame was still in the deque. Else it has
  // left it, and the deque is empty now.
  struct popped {
    bool mine;
    frame* handed;
  };
  popped pop() noexcept;
  // What was handed over has been passed on: thieves may ask again.
  void handed_on() noexcept;
  // Whoever searched has been given something: the next push need not hand its frame over.
  void searchers_served() noexcept;
  // The strand's latest frame has been stolen: the next one is handed over at its push, without being asked
  // for.
  void expect_thief() noexcept;
  // The owner has given iterations of its newest work back: where that was passed over as exhausted, it is in the
  // deque again.
  void readmit(divisible& newest) noexcept;
  // The strand leaves the worker: moves all frames to the list of claimable ones. True if there were any.
  bool promote_all() noexcept;
  // Takes the newest branch out, so that it can go to another worker. Moves all older frames to a list from which
  // their strand can take them back. `listed`: thieves can take the older frames, too.
  struct split_off {
    frame* newest;  // null: there is no memory for that, and nothing has changed
    bool listed;
  };
  split_off split_off_newest() noexcept;
  // Some region has been cancelled: shuts the gates if the strand here is in it.
  void region_cancelled() noexcept;
  // Forgets what code remembers of slots in this deque, because the order of the strand's next pushes has nothing to
  // do with it.
  void forget_positions() noexcept { epoch_.store(epoch() + 1, std::memory_order_relaxed); }
  // How often the deque has begun anew at the bottom, or a strand has ended here: as long as this stays,
  // frames have left only by pops and steals, and all are the same strand's.
  std::uint64_t epoch() const noexcept { return epoch_.load(std::memory_order_relaxed); }

  // --- Anyone. The oldest claimable frame, claimed; null if there is none yet, or another thief is at it.
  // Where the owner is not fenced it is asked first, and `insist` says that enough rounds have passed to look
  // at what came of that. Only one that is wanted: where the oldest is not, no younger one is looked at.
  frame* steal(bool insist, const wanted& what) noexcept;
  // Whether there is something for whoever wants that.
  bool has_work(const wanted& what = {}) noexcept;
  // For how many workers there is something, as far as can be seen; at most `most`.
  unsigned work_for(unsigned most) noexcept;
  // A sleeper wants to know of the next push. Since when the gate has been shut for that.
  barriers::ticket shut_push_gate() noexcept;
  // Whether there is something that will be there for a while. By who watches, some time after
  // shut_push_gate(). `met`: the owner has met the gate since.
  struct watched {
    bool lasts;
    bool met;
  };
  watched look_again() noexcept;
  // For the watchdog. What differs from one call to the next where the strand has gone on meanwhile: it meets
  // the gate that this shuts, at its next push or block of a loop.
  struct sign {
    std::uint64_t signs = 0;
    std::uint64_t epoch = 0;
    const slot* tail = nullptr;
    const fiber* strand = nullptr;
    friend bool operator==(const sign&, const sign&) = default;
  };
  sign ask_for_sign() noexcept;
  // And what lies here. Fibers may be gone when it returns.
  struct holding {
    std::size_t latent = 0;
    std::size_t listed = 0;
    const fiber* oldest_listed = nullptr;  // whose strand opened it
    const fiber* strand = nullptr;         // that runs here
  };
  holding look() noexcept;
  // While it is held nothing leaves the deque: while the process forks.
  steal_lock& lock() noexcept { return lock_; }

  listed_frames& listed() noexcept { return listed_; }
  detail::promotions& promotions() noexcept { return promotions_; }
  detail::wish& wish() noexcept { return wish_; }
  const detail::wish& wish() const noexcept { return wish_; }
  // Of the worker, for frames that carry none: its own in a run of a colored graph, else all of them.
  void set_color(color_set own) noexcept { own_color_.store(own, std::memory_order_relaxed); }
  color_set color() const noexcept { return own_color_.load(std::memory_order_relaxed); }

 private:
  // What was taken from one slot. `stays`: the slot stays in the deque, because its work has more parts, or
  // because nothing could be taken now.
  struct taken {
    detail::frame* frame = nullptr;
    bool stays = false;
    bool too_little = false;
  };

  bool push_colored(std::uintptr_t content, color_set colors) noexcept;
  unsigned reasons() const noexcept;
  void follow_reasons() noexcept;
  void begin_anew() noexcept;
  void follow_region() noexcept;
  void ask(bool next_push) noexcept;
  void ask_ahead() noexcept;
  frame* hand_over_oldest() noexcept;
  taken take_oldest(const slot* tail, parting how) noexcept;
  taken take_from(const slot* at, parting how) noexcept;
  frame* mark_stolen(const slot* at) noexcept;
  void mark_stolen(frame_with_state& f, const slot* at) noexcept;
  void promote(const slot* at) noexcept;
  frame* claim_frozen() noexcept;
  frame* claim_fenced() noexcept;
  bool pass_head(slot* next) noexcept;
  void insist() noexcept;
  bool worth_a_look(bool insist) const noexcept;
  bool may_take_latent(const wanted& what) const noexcept;
  bool ask_or_withdraw() noexcept;
  bool nothing_latent() const noexcept;
  slot* tail_for_thieves() const noexcept;
  filled_slots filled() const noexcept;

  slot_array slots_;
  barriers& paid_;
  const bool fenced_;
  std::atomic<std::uint64_t> epoch_{0};  // written by the owner only

  alignas(128) steal_lock lock_;
  // All below: under lock_.
  worker_tls* tls_ = nullptr;     // null while no thread owns the deque
  std::atomic<slot*> head_;       // written under the lock; read without it by an owner that fences
  std::atomic<unsigned> sticky_;  // reasons; written under the lock, read without it by the owner
  strand_here here_;
  request request_;
  wake_request wake_;
  bool sign_wanted_ = false;  // the watchdog asks whether the strand goes on
  std::uint64_t signs_ = 0;   // how often it was answered
  listed_frames listed_{lock_, here_, wish_};
  // Hints, read without the lock: thieves look here before they take it.
  // Thieves find nothing here except in the list. Either the deque has no owner, or the owner was asked, and its
  // frame is still on the way.
  alignas(128) std::atomic<bool> nothing_to_steal_{true};
  std::atomic<color_set> own_color_{all_colors};
  detail::wish wish_;
  detail::promotions promotions_;
};

}  // namespace sennit::detail
