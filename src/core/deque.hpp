// A worker's frames: the owner works at the tail, thieves at the head. docs/protocols/deque.md has the protocol.
#pragma once

#include "core/fiber.hpp"
#include "core/frame_list.hpp"
#include "core/steal_lock.hpp"
#include "policy/asking.hpp"
#include "policy/beats.hpp"
#include "policy/colored_steals.hpp"

#include <sennit/detail/frame.hpp>
#include <sennit/detail/loop_frame.hpp>
#include <sennit/detail/words.hpp>
#include <sennit/runtime.hpp>

#include <cstddef>
#include <cstdint>

namespace sennit::detail {

class worker;

// Why both gates of a worker stay shut. (The push gate is also shut, once, to be told of the next push.)
enum sticky_reason : unsigned {
  cancelled = 1,  // the region of the strand that runs here is cancelled
  contract = 2,   // each construct is to check the thread contract
  observed = 4,   // the strand that runs here has a course
};

class deque {
 public:
  // Reserves room for `slots` frames; throws std::bad_alloc if the system has none. `fenced`: the owner fences. `beat_ns`: what
  // has to pass between promotions where no region says otherwise.
  deque(std::size_t slots, bool fenced, unsigned sticky_reasons, std::uint64_t beat_ns);
  deque(const deque&) = delete;
  deque& operator=(const deque&) = delete;
  ~deque();

  // --- The owner, whose thread's words these become and cease to be. The deque is empty at both.
  void attach(worker_words& words) noexcept;
  // `for_good`: the thread leaves the place, as a guest does.
  void detach(bool for_good) noexcept;

  // After a push met the gate: opens it, unless it is to stay shut. `wake`: a sleeper wants to know of the push.
  // `room`: the frame is within the deque.
  // `handed`: a frame that the owner is to pass on to whoever wants one; it has left the deque.
  struct opened {
    bool wake;
    bool room;
    frame* handed;
  };
  opened open_push_gate() noexcept;
  // A push of the calling strand, which runs here: below the frame is work of these colors. False: it met the gate.
  bool push_colored(frame& f, color_set colors) noexcept;
  // Of the worker, for what carries none: its own in a run of a colored graph, else all of them.
  void set_color(color_set own) noexcept { own_color_.store(own, std::memory_order_relaxed); }
  color_set color() const noexcept { return own_color_.load(std::memory_order_relaxed); }
  // After a pop met the gate, tail being lowered: `mine` if the frame was still in the deque. Else it has left it, and
  // the deque is empty now.
  struct popped {
    bool mine;
    frame* handed;
  };
  popped pop() noexcept;
  // What was handed over has been passed on: thieves may ask again.
  void handed_on() noexcept;
  // The strand leaves the worker: moves all frames to the list of claimable ones. True if there were any.
  bool promote_all() noexcept;
  // The newest frame is to go to another worker: it leaves the deque, and all older ones go where their strand can have
  // them back. `listed`: thieves can have them, too.
  struct parted {
    frame* newest;
    bool listed;
  };
  parted part_with_newest() noexcept;
  // Puts a frame that has left the deque, or never was in it, in the list.
  void list(frame& f) noexcept;
  // The same for a branch of the strand that runs here: where its observer is strict, only the strand can have it.
  void list_branch(frame& f) noexcept;
  // Whether the owner has nothing to be stolen. In the fence variant a hint: a thief may be about to put back a loop.
  bool empty() const noexcept {
    return words_->tail.load(std::memory_order_relaxed) == head_.load(std::memory_order_relaxed);
  }
  // Whoever searched has been given something: the next push need not hand its frame over.
  void searchers_served() noexcept;
  // The strand's latest frame has been stolen: the next one is handed over at its push, without being asked for.
  void expect_thief() noexcept;
  // The oldest frame of the list, claimed.
  frame* take_listed() noexcept;
  slot* bottom() const noexcept { return base_; }
  // The regions of the strand that runs on this worker. `frame_wanted`: thieves search, and would ask if they had the time.
  // True: there are donations that others may begin with, as this worker is busy now.
  bool enter(scope* innermost, bool frame_wanted = false) noexcept;
  // The strand has come to its end.
  void leave() noexcept;
  // The owner knows no positions from before: the strand goes on with what is not in order with that.
  void forget_positions() noexcept { ++epoch_; }
  // Whether something is listed that anybody can have. A hint.
  bool has_listed() const noexcept { return listed_.any(); }
  // How often the deque has begun anew at the bottom, or a strand has ended here: as long as this stays, frames have left
  // only by pops and steals, and all are the same strand's.
  std::uint64_t epoch() const noexcept { return epoch_; }
  // Whether nobody wants anything of the owner.
  bool undisturbed() const noexcept {
    return words_->limit_beneath.load(std::memory_order_relaxed) != nullptr;
  }
  // What is left of the owner's claim [from, to) on a loop, after it met a gate: the end of it.
  position claim(loop_frame& loop, position from, position to) noexcept;
  unsigned sticky_reasons() const noexcept { return sticky_.load(std::memory_order_relaxed); }
  // Whether promotions wait for nothing but thieves.
  bool on_demand() const noexcept { return beats_.period_ns() == 0; }
  scope* innermost() const noexcept { return innermost_; }

  // --- Anyone.
  // The oldest claimable frame, claimed; null if there is none yet, or another thief is at it. Where the owner is not
  // fenced it is asked first, and `insist` says that enough rounds have passed to look at what came of that.
  // Only one that has work of a `wanted` color below it: where the oldest has none, no younger one is looked at.
  frame* steal(bool insist, color_set wanted) noexcept;
  bool has_work() noexcept;
  // When the next frame that is latent now may be taken; 0: as far as beats go, at any time. A hint.
  std::uint64_t next_beat_ns() const noexcept { return next_beat_ns_.load(std::memory_order_relaxed); }
  // A part of a loop has been handed to another worker.
  void count_dealt() noexcept { promotions_.fetch_add(1, std::memory_order_relaxed); }
  // How many latent frames have become work for others.
  std::uint64_t promotions() const noexcept { return promotions_.load(std::memory_order_relaxed); }
  // The frame is for the worker whose deque this is; nobody can have it back. True: others may begin with it, too.
  bool donate(frame& f) noexcept;
  // The oldest of those that the worker may begin with, claimed. By that worker.
  frame* take_donated(worker& by) noexcept;
  bool donation_pending() const noexcept { return donated_.any(); }
  // Whether there is one.
  bool has_donation(worker& by) noexcept;
  // A sleeper wants to know of the next push.
  void shut_push_gate() noexcept;
  // Some region has been cancelled: shuts the gates if the strand here is in it.
  void region_cancelled() noexcept;
  // While the process forks no thief has the lock, which the child would have to do without.
  void hold_for_fork() noexcept { lock_.lock(); }
  void let_go_after_fork() noexcept { lock_.unlock(); }
  // Claims a frame that was promoted, for the strand that opened it. False if somebody else has it.
  static bool reclaim(frame& f) noexcept;

 private:
  void append(frame& f) noexcept;
  frame* take_oldest_listed(color_set wanted) noexcept;
  color_set colors_at(const slot* position) const noexcept;
  void depart(frame& f, const slot* position) noexcept;
  bool open_to_others(frame& donated) const noexcept;
  frame* open_donation(color_set wanted) const noexcept;
  static bool may_begin(worker& by, frame& donated) noexcept;
  slot* tail_for_thieves() const noexcept;
  void shut_gates() noexcept;
  frame* hand_over_oldest() noexcept;
  void ask(bool for_next_push_only) noexcept;
  void answered() noexcept;
  frame* claim_frozen() noexcept;
  frame* claim_fenced() noexcept;
  void promote(slot* position) noexcept;
  region_state* region_of(const slot* position) const noexcept;
  void begin_anew() noexcept;
  void follow_region() noexcept;
  void follow_beats() noexcept;
  bool between_beats() const noexcept;
  void count_promotion() noexcept;
  void set_gates() noexcept;
  slot* open_limit() const noexcept;
  slot* open_head_gate(slot* head) const noexcept;

  slot* const base_;
  slot* const end_;
  // Of the frames in colored slots. Beside the slots, as thieves look at no frame that they have not claimed.
  std::atomic<color_set>* const colors_;
  const bool fenced_;
  const std::uint64_t default_beat_ns_;
  std::uint64_t epoch_ = 0;  // the owner's alone

  alignas(128) steal_lock lock_;
  // All below: under lock_.
  worker_words* words_ = nullptr;  // null while no thread owns the deque
  bool deserted_ = false;          // the thread that did has left for good
  std::atomic<slot*> head_;        // written under the lock; read without it by an owner that fences
  bool frame_wanted_ = false;      // a thief asked: the owner is to hand its oldest frame over
  bool put_off_ = false;           // what there is to hand over is too little: pushes go on undisturbed
  std::uint64_t asked_ns_ = 0;     // when a thief asked and there were frames; 0: there were none
  policy::asking asking_;
  policy::beats beats_;           // written under the lock, its period by the owner
  bool wake_wanted_ = true;       // a new deque may come after its runtime's workers went to sleep
  std::atomic<unsigned> sticky_;  // written under the lock; read without it by the owner
  scope* innermost_ = nullptr;    // null while no strand is here
  bool strict_ = false;           // the strand's observer has all donated that anybody may take
  frame_list listed_;             // claimable by anyone
  frame_list withheld_;           // claimable by their strands only
  frame_list donated_;            // for this worker
  // Hints, read without the lock: thieves look here before they take it.
  // There is no owner, or it has been asked and what it hands over has not arrived yet: nothing to be had but from the
  // list.
  alignas(128) std::atomic<bool> mute_{true};
  std::atomic<color_set> own_color_{all_colors};
  std::atomic<std::uint64_t> next_beat_ns_{0};
  std::atomic<std::uint64_t> promotions_{0};
};

}  // namespace sennit::detail
