// A worker's frames: the owner works at the tail, thieves at the head. docs/protocols/deque.md has the
// protocol.
#pragma once

#include "deque/frame_list.hpp"
#include "deque/steal_lock.hpp"
#include "deque/wanted.hpp"
#include "policy/asking.hpp"
#include "policy/beats.hpp"
#include "policy/colored_steals.hpp"
#include "policy/waking.hpp"
#include "stack/fiber.hpp"
#include "system/barrier.hpp"

#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/loop/frame.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/runtime.hpp>

#include <cstddef>
#include <cstdint>

namespace sennit::detail {

class sleepers;
class worker;

// Why both gates of a worker stay shut. (The push gate is also shut, once, to be told of the next push.)
enum sticky_reason : unsigned {
  cancelled = 1,  // the region of the strand that runs here is cancelled
  contract = 2,   // each construct is to check the thread contract
  observed = 4,   // the strand that runs here has a trace cursor
};

class deque {
 public:
  // Reserves room for `slots` frames; throws std::bad_alloc if the system has none. `fenced`: the owner
  // fences. `beat_ns`: what has to pass between promotions where no region says otherwise.
  deque(std::size_t slots, barriers& paid, bool fenced, unsigned sticky_reasons, std::uint64_t beat_ns);
  deque(const deque&) = delete;
  deque& operator=(const deque&) = delete;
  ~deque();

  // --- The owner, whose thread-local state these become and cease to be. The deque is empty at both.
  void attach(worker_tls& tls) noexcept;
  // `for_good`: the thread leaves the place, as a guest does.
  void detach(bool for_good) noexcept;

  // The owner met the push gate. Answers those who shut the gate, and opens it unless a reason remains. `wake`: a sleeper
  // is to be woken for this push. `room`: the deque had room for the pushed frame. `handed`: the owner passes this frame
  // on; the frame is no longer in the deque.
  struct opened {
    bool wake;
    bool room;
    frame* handed;
  };
  opened open_push_gate(const sleepers& asleep, bool pushed) noexcept;
  // A push of the calling strand, which runs here: below the frame is work of these colors. False: it met the
  // gate.
  bool push_colored(frame& f, color_set colors) noexcept {
    return push_colored(reinterpret_cast<std::uintptr_t>(&f), colors);
  }
  bool push_colored(frame_with_state& f, color_set colors) noexcept {
    return push_colored(reinterpret_cast<std::uintptr_t>(&f) | frame_with_state::tag, colors);
  }
  // Of the worker, for what carries none: its own in a run of a colored graph, else all of them.
  void set_color(color_set own) noexcept { own_color_.store(own, std::memory_order_relaxed); }
  color_set color() const noexcept { return own_color_.load(std::memory_order_relaxed); }
  // After a pop met the gate, tail being lowered: `mine` if the frame was still in the deque. Else it has
  // left it, and the deque is empty now.
  struct popped {
    bool mine;
    frame* handed;
  };
  popped pop() noexcept;
  // What was handed over has been passed on: thieves may ask again.
  void handed_on() noexcept;
  // The strand leaves the worker: moves all frames to the list of claimable ones. True if there were any.
  bool promote_all() noexcept;
  // Takes the newest frame out, so that it can go to another worker. Moves all older frames to a list from which their
  // strand can take them back. `listed`: thieves can take the older frames, too.
  struct split_off {
    frame* newest;  // null: there is no memory for that, and all stay
    bool listed;
  };
  split_off split_off_newest() noexcept;
  // Puts a frame that has left the deque, or never was in it, in the list.
  void list(frame& f) noexcept;
  // The same for a branch of the strand that runs here: where its schedule's hooks are strict, only the strand can
  // have it.
  void list_branch(frame& f) noexcept;
  // Whether the owner has nothing to be stolen. In the fence variant a hint: a thief may be about to put back
  // a loop.
  bool empty() const noexcept {
    return tls_->tail.load(std::memory_order_relaxed) == head_.load(std::memory_order_relaxed);
  }
  // Whoever searched has been given something: the next push need not hand its frame over.
  void searchers_served() noexcept;
  // The strand's latest frame has been stolen: the next one is handed over at its push, without being asked
  // for.
  void expect_thief() noexcept;
  // The oldest frame of the list that is wanted, claimed. Where there are many others, only if the caller
  // insists.
  frame* take_listed(const wanted& what, bool insist) noexcept;
  slot* bottom() const noexcept { return base_; }
  // The regions of the strand that runs on this worker. `frame_wanted`: thieves search, and would ask if they
  // had the time.
  // `sleepers`: somebody sleeps, and may want to know of this strand's next push although that of the strand
  // before concerned nobody. True: there are donations that others may begin with, as this worker is busy
  // now.
  bool enter(scope* innermost, bool frame_wanted = false, bool sleepers = false) noexcept;
  // The strand has come to its end.
  void leave() noexcept;
  // Forgets what code remembers of slots in this deque, because the order of the strand's next pushes has nothing to do
  // with it.
  void forget_positions() noexcept { epoch_.store(epoch() + 1, std::memory_order_relaxed); }
  // Whether something is listed that anybody can have. A hint.
  bool has_listed() const noexcept { return listed_.any(); }
  // How often the deque has begun anew at the bottom, or a strand has ended here: as long as this stays,
  // frames have left only by pops and steals, and all are the same strand's.
  std::uint64_t epoch() const noexcept { return epoch_.load(std::memory_order_relaxed); }
  // Whether nobody wants anything of the owner.
  bool undisturbed() const noexcept { return tls_->limit_beneath.load(std::memory_order_relaxed) != nullptr; }
  // The owner has given iterations of its newest frame back: where the frame was passed over as exhausted, it
  // is in the deque again.
  void readmit(loop_frame& newest) noexcept;
  // What is left of the owner's claim [from, to) on a loop, after it met a gate: the end of it.
  position claim(loop_frame& loop, position from, position to) noexcept;
  unsigned sticky_reasons() const noexcept { return sticky_.load(std::memory_order_relaxed); }
  // Whether promotions wait for nothing but thieves.
  bool on_demand() const noexcept { return beats_.period_ns() == 0; }
  scope* innermost() const noexcept { return innermost_; }

  // --- Anyone. The oldest claimable frame, claimed; null if there is none yet, or another thief is at it.
  // Where the owner is not fenced it is asked first, and `insist` says that enough rounds have passed to look
  // at what came of that. Only one that is wanted: where the oldest is not, no younger one is looked at.
  frame* steal(bool insist, const wanted& what) noexcept;
  // Whether there is something for whoever wants that.
  bool has_work(const wanted& what = {}) noexcept;
  // For how many workers there is something, as far as can be seen; at most `most`.
  unsigned work_for(unsigned most) noexcept;
  // Whether there is something that will be there for a while. By who watches, some time after
  // shut_push_gate(). `met`: the owner has met the gate since.
  struct watched {
    bool lasts;
    bool met;
  };
  watched look_again() noexcept;
  // What the worker of this deque may take, but for colors; null: anything. See "Guests" in
  // docs/protocols/regions.md.
  void restrict_to(const region_state* only) noexcept {
    only_.store(only, std::memory_order_relaxed);
    also_.store(nullptr, std::memory_order_relaxed);
  }
  void admit_also(const region_state* r) noexcept { also_.store(r, std::memory_order_relaxed); }
  wanted own_wish() const noexcept {
    return {.within = only_.load(std::memory_order_relaxed),
            .or_within = also_.load(std::memory_order_relaxed)};
  }
  // When the next frame that is latent now may be taken; 0: as far as beats go, at any time. A hint.
  std::uint64_t next_beat_ns() const noexcept { return next_beat_ns_.load(std::memory_order_relaxed); }
  // A part of a loop has been handed to another worker.
  void count_dealt() noexcept { promotions_.fetch_add(1, std::memory_order_relaxed); }
  // How many latent frames have become work for others.
  std::uint64_t promotions() const noexcept { return promotions_.load(std::memory_order_relaxed); }
  // The frame is for the worker whose deque this is; nobody can have it back. True: others may begin with it,
  // too.
  bool donate(frame& f) noexcept;
  // The oldest of those that the worker may begin with, claimed. By that worker.
  frame* take_donated(worker& by) noexcept;
  bool donation_pending() const noexcept { return donated_.any(); }
  // Whether there is one.
  bool has_donation(worker& by) noexcept;
  // A sleeper wants to know of the next push. Since when the gate has been shut for that.
  barriers::ticket shut_push_gate() noexcept;
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
  // And what lies here: frames in the deque, and such as have left it. Fibers may be gone when it returns.
  struct holding {
    std::size_t latent = 0;
    std::size_t listed = 0;
    const fiber* oldest_listed = nullptr;  // whose strand opened it
    const fiber* strand = nullptr;         // that runs here
  };
  holding look() noexcept;
  // Some region has been cancelled: shuts the gates if the strand here is in it.
  void region_cancelled() noexcept;
  // While the process forks no thief has the lock, which the child would have to do without.
  void hold_for_fork() noexcept { lock_.lock(); }
  void let_go_after_fork() noexcept { lock_.unlock(); }
  // Claims a frame that was promoted, for the strand that opened it. False if somebody else has it.
  static bool reclaim(frame& f) noexcept;
  // The strand has no need for the state of its frame any more.
  static void end_state(frame& f) noexcept;

 private:
  bool push_colored(std::uintptr_t content, color_set colors) noexcept;
  static bool reclaim_state(frame& f) noexcept;
  // The positions between which there are frames.
  struct bounds {
    std::size_t head;
    std::size_t tail;
  };
  bounds filled() const noexcept;
  void note_wake_wanted() noexcept;
  void append(frame& f) noexcept;
  fiber* strand() const noexcept { return innermost_ != nullptr ? innermost_->strand : nullptr; }
  frame* oldest_listed(const wanted& what, bool all) const noexcept;
  frame* take_oldest_listed(const wanted& what, bool all) noexcept;
  color_set colors_at(const slot* position) const noexcept;
  frame* mark_stolen(const slot* position) noexcept;
  void mark_stolen(frame_with_state& f, const slot* position) noexcept;
  bool open_to_others(frame& donated) const noexcept;
  frame* open_donation(const wanted& what) const noexcept;
  bool may_begin(worker& by, frame& donated) const noexcept;
  slot* tail_for_thieves() const noexcept;
  void shut_gates() noexcept;
  frame* hand_over_oldest() noexcept;
  void ask(bool for_next_push_only) noexcept;
  void answered() noexcept;
  void insist() noexcept;
  // What take_oldest() got from one slot. `stays`: the slot stays in the deque, because its loop has more iterations, or
  // because nothing could be taken now.
  struct part {
    detail::frame* frame = nullptr;
    bool stays = false;
  };
  frame* take_oldest(const slot* tail, bool by_owner) noexcept;
  part cut_half(loop_frame& loop, bool by_owner) noexcept;
  frame* claim_frozen() noexcept;
  frame* claim_fenced() noexcept;
  bool pass_head(slot* next) noexcept;
  frame* cut_passed(loop_frame& loop, const loop_frame::rest& left, slot* head) noexcept;
  bool worth_a_look(bool insist) const noexcept;
  bool may_take_latent(const wanted& what) const noexcept;
  bool runs_for(const wanted& what) const noexcept;
  bool latent_over() const noexcept;
  bool suits(const wanted& what, frame& listed) const noexcept;
  bool ask_or_withdraw() noexcept;
  void ask_ahead() noexcept;
  void promote(slot* position) noexcept;
  region_state* region_of(const slot* position) const noexcept;
  void begin_anew() noexcept;
  void follow_region() noexcept;
  bool follow_root() noexcept;
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
  barriers& paid_;
  const bool fenced_;
  const std::uint64_t default_beat_ns_;
  std::atomic<std::uint64_t> epoch_{0};  // written by the owner only

  alignas(128) steal_lock lock_;
  // All below: under lock_.
  worker_tls* tls_ = nullptr;  // null while no thread owns the deque
  bool abandoned_ = false;     // the thread that owned the deque has left for good
  std::atomic<slot*> head_;    // written under the lock; read without it by an owner that fences
  bool frame_wanted_ = false;  // a thief asked: the owner is to hand its oldest frame over
  // The owner has put a request off, because its loop has too little left. Pushes do not meet the gate meanwhile.
  bool request_deferred_ = false;
  // A thief found nothing but chunks under way: whatever is left of one is to be handed over.
  bool insisted_ = false;
  // When a thief asked for a frame that was there. 0: there was none, and the request is for the next push.
  std::uint64_t asked_ns_ = 0;
  policy::asking asking_;
  policy::waking waking_;    // the forks that sleepers may have to be told of
  policy::beats beats_;      // written under the lock, its period by the owner
  bool wake_wanted_ = true;  // a new deque may come after its runtime's workers went to sleep
  barriers::ticket wake_wanted_since_ = 0;
  std::uint64_t wake_wanted_ns_ = 0;    // the same, for who watches
  const region_state* root_ = nullptr;  // around the latest strand's regions; only to be compared
  bool sign_wanted_ = false;            // the watchdog asks whether the strand goes on
  std::uint64_t signs_ = 0;             // how often it was answered
  std::atomic<unsigned> sticky_;        // written under the lock; read without it by the owner
  scope* innermost_ = nullptr;          // null while no strand is here
  bool strict_ = false;                 // the region's schedule is strict: workers take donated frames only
  frame_list listed_;                   // claimable by anyone
  frame_list withheld_;                 // claimable by their strands only
  frame_list donated_;                  // for this worker
  // Hints, read without the lock: thieves look here before they take it.
  // Thieves find nothing here except in the list. Either the deque has no owner, or the owner was asked, and its frame is
  // still on the way.
  alignas(128) std::atomic<bool> nothing_to_steal_{true};
  std::atomic<color_set> own_color_{all_colors};
  std::atomic<const region_state*> only_{nullptr};
  std::atomic<const region_state*> also_{nullptr};
  std::atomic<std::uint64_t> next_beat_ns_{0};
  std::atomic<std::uint64_t> promotions_{0};
};

}  // namespace sennit::detail
