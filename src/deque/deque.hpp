// SPDX-License-Identifier: Apache-2.0
// The deque of a worker: slots between a head and a tail, and gates that reasons shut. The owner works at the
// tail, thieves at the head; docs/protocols/deque.md has the protocol. deque/worker_frames.hpp has those who
// want something of the owner.
#pragma once

#include "deque/gates.hpp"
#include "deque/slots.hpp"
#include "deque/steal_lock.hpp"
#include "system/barrier.hpp"
#include "system/reserve.hpp"

#include <sennit/detail/assert.hpp>
#include <sennit/detail/colors.hpp>
#include <sennit/detail/fork/divisible.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sennit::detail {

class promotions;
struct eligibility;

class deque {
 public:
  // Reserves room for `slots` frames; throws std::bad_alloc if the system has none. `lasting`: the reasons for which the
  // gates are shut as long as there is the worker. `by` makes stolen frames of what is in the slots.
  deque(std::size_t slots, barriers& shared, unsigned lasting, promotions& by);
  deque(const deque&) = delete;
  deque& operator=(const deque&) = delete;
  ~deque() = default;

  // --- The owner.
  slot* bottom() const noexcept { return slots_.begin(); }
  // Whether there is nothing to be stolen. In the fence variant a hint: a thief may be about to put back divisible work.
  bool empty() const noexcept { return tail() == head(); }
  // Whether nobody wants anything of the owner.
  bool undisturbed() const noexcept { return tls_->limit_beneath.load(std::memory_order_relaxed) != nullptr; }
  // A pop that met the gate, tail being lowered. True: the frame was still in the deque. False: newest_has_left() says
  // whether it was.
  bool pop() noexcept {
    worker_tls& tls = *tls_;
    slot* const tail = tls.tail.load(std::memory_order_relaxed);
    // ORD[D22] release: as in tell_of_pop(). Model: models/deque.pml.
    tls.tail_seen.store(tail, std::memory_order_release);
    if (!is_fenced()) return false;
    // ORD[D2] seq_cst: the store of tail before the load of head, as a thief in pass_head() orders its
    // store of head before its load of tail. The owner's fence, where there is no membarrier. Model:
    // models/deque.pml.
    tls.tail.exchange(tail, std::memory_order_seq_cst);
    // ORD[D2] seq_cst: the load of that pair.
    return tail >= head_.load(std::memory_order_seq_cst);
  }
  // Forgets what code remembers of slots in this deque, because the order of the strand's next pushes has nothing to
  // do with it.
  void forget_positions() noexcept { epoch_.store(epoch() + 1, std::memory_order_relaxed); }
  // As long as this stays, frames have left only by pops and steals.
  std::uint64_t epoch() const noexcept { return epoch_.load(std::memory_order_relaxed); }
  // What it takes to take all that is there; perhaps a block more.
  reserve::blocks in_need() const noexcept;

  // --- Anyone.
  bool is_fenced() const noexcept { return (lasting_ & fenced) != 0; }
  unsigned lasting_reasons() const noexcept { return lasting_; }
  // While it is held nothing leaves the deque.
  steal_lock& lock() noexcept { return lock_; }

  // --- Under the lock: everything below. While a thread owns the deque, its thread-local state has the tail and the
  // gates. The deque is empty as that begins and as it ends.
  void attach(worker_tls& tls) noexcept;
  void detach() noexcept;
  bool has_owner() const noexcept { return tls_ != nullptr; }

  // Opens the gates that no reason shuts, and shuts the others. Pops below `floor` find the gate shut in any case.
  void set_reasons(unsigned reasons, slot* floor = nullptr) noexcept {
    reasons_ = reasons | lasting_;
    if (tls_ == nullptr) return;
    slot* const head = head_.load(std::memory_order_relaxed);
    set_gates(*tls_, reasons_, floor != nullptr ? std::max(head, floor) : head, slots_.end());
  }
  unsigned reasons() const noexcept { return reasons_; }
  // One more reason, which shuts the push gate only.
  void shut_push_gate(gate_reason reason) noexcept;

  const slot* head() const noexcept { return head_.load(std::memory_order_relaxed); }
  const slot* tail() const noexcept { return tls_->tail.load(std::memory_order_relaxed); }
  filled_slots filled() const noexcept {
    if (tls_ == nullptr) return {};
    return {slots_.number_of(head()), slots_.number_of(std::max(head(), tail()))};
  }
  // Whether the deque had room for the latest push.
  bool has_room() const noexcept { return tail() <= slots_.end(); }
  // May also be asked while an owner's pop is under way.
  bool nothing_latent() const noexcept { return tail() <= head(); }
  // All colors where there is no frame.
  color_set colors_of_oldest() const noexcept {
    return nothing_latent() ? all_colors : slots_.colors_of(head());
  }

  // A pop has stored a null tail, as its frame has left. All older frames have left, too, so a pop by one would have left the
  // tail below head.
  void lower_tail() noexcept {
    tls_->tail.store(head_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }
  // The owner calls it, or a thread that keeps the owner out. All older frames have left: the next push goes to the
  // bottom.
  void begin_anew() noexcept;
  // Frames leave only from the head, in order: if the newest one has left, all older ones have.
  bool newest_has_left() const noexcept {
    SENNIT_ASSERT(head() <= tail() + 1);  // at most this frame has left
    return tail() < head();
  }
  // All frames that are there are noted by the trace cursor.
  void note_tail_seen() noexcept;
  // Divisible work of the owner, for workers of these colors. False: there is no room.
  bool push(divisible& newest, color_set colors) noexcept;
  // Divisible work that was passed over as exhausted, and is not any more. Thieves have left nothing else.
  void readmit(divisible& newest) noexcept;
  // The oldest frame, or a part of the oldest divisible work.
  promoted take_oldest(parting how, reserve& memory) noexcept { return take_below(tail(), how, memory); }
  // What is in the slot, which stays where it is.
  promoted take_from(const slot* at, parting how, reserve& memory) noexcept;

  // A thief claims the oldest frame, or a part of the oldest divisible work, if the owner has not taken that. Without
  // the owner's fence, a barrier is issued, and the gates are left shut: set_reasons() opens them.
  struct claimed {
    detail::frame* frame = nullptr;
    bool under_way = false;        // there is work, but all that is left of it the owner has claimed
    std::uint64_t barrier_ns = 0;  // how long the barrier took
  };
  claimed claim(const eligibility& may, reserve& memory) noexcept {
    return is_fenced() ? claim_fenced(may, memory) : claim_frozen(may, memory);
  }

 private:
  claimed claim_frozen(const eligibility& may, reserve& memory) noexcept;
  claimed claim_fenced(const eligibility& may, reserve& memory) noexcept;
  promoted take_below(const slot* tail, parting how, reserve& memory) noexcept;
  bool pass_head(slot* next, const eligibility& may) noexcept;
  slot* tail_for_thieves(const eligibility& may) const noexcept;

  slot_array slots_;
  barriers& barriers_;
  promotions& promotions_;
  const unsigned lasting_;
  std::atomic<std::uint64_t> epoch_{0};  // written by the owner only

  alignas(128) steal_lock lock_;
  // All below: under lock_.
  worker_tls* tls_ = nullptr;  // null while no thread owns the deque
  std::atomic<slot*> head_;    // written under the lock; read without it by an owner that fences
  unsigned reasons_;
};

}  // namespace sennit::detail
