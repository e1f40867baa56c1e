// SPDX-License-Identifier: Apache-2.0
#include "deque/deque.hpp"

#include "deque/eligibility.hpp"
#include "deque/promotions.hpp"
#include "process/perturb.hpp"
#include "system/nanoseconds.hpp"

#include <sennit/detail/assert.hpp>

#include <algorithm>

namespace sennit::detail {

deque::deque(std::size_t slots, barriers& shared, unsigned lasting, promotions& by)
    : slots_(slots),
      barriers_(shared),
      promotions_(by),
      lasting_(lasting),
      head_(bottom()),
      reasons_(lasting) {}

void deque::attach(worker_tls& tls) noexcept {
  SENNIT_ASSERT(tls_ == nullptr);
  tls_ = &tls;
  begin_anew();
}

void deque::detach() noexcept {
  SENNIT_ASSERT(tls_ != nullptr && empty());
  tls_ = nullptr;
}

void deque::shut_push_gate(gate_reason reason) noexcept {
  SENNIT_ASSERT((reason & shut_push) != 0 && (reason & shut_pop) == 0);
  reasons_ |= reason;
  if (tls_ != nullptr) detail::shut_push_gate(*tls_);
}

void deque::begin_anew() noexcept {
  forget_positions();
  head_.store(bottom(), std::memory_order_relaxed);
  tls_->tail.store(bottom(), std::memory_order_relaxed);
  tls_->tail_seen.store(bottom(), std::memory_order_relaxed);
  set_reasons(reasons_);
}

// A thief that fences may be about to put the latest one back.
reserve::blocks deque::in_need() const noexcept {
  reserve::blocks all{.small = 0, .large = 0};
  const slot* const head = head_.load(std::memory_order_relaxed);
  for (const slot* at = head > bottom() ? head - 1 : head; at < tail(); ++at) {
    if (is_divisible(*at)) ++all.large;
    if (needs_memory(*at)) ++all.small;
  }
  return all;
}

void deque::note_tail_seen() noexcept {
  tls_->tail_seen.store(tls_->tail.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

bool deque::push(divisible& newest, color_set colors) noexcept {
  slot* const at = tls_->tail.load(std::memory_order_relaxed);
  if (at == slots_.end()) return false;
  std::uintptr_t content = reinterpret_cast<std::uintptr_t>(&newest) | divisible::tag;
  if (colors != all_colors) {
    slots_.set_colors(at, colors);
    content |= colored_tag;
  }
  at->store(content, std::memory_order_relaxed);
  // Thieves read it under the lock, which the owner holds.
  tls_->tail.store(at + 1, std::memory_order_relaxed);
  return true;
}

void deque::readmit(divisible& newest) noexcept {
  SENNIT_ASSERT(empty() && head() == bottom());
  bottom()->store(reinterpret_cast<std::uintptr_t>(&newest) | divisible::tag, std::memory_order_relaxed);
  // Thieves read it under the lock.
  tls_->tail.store(bottom() + 1, std::memory_order_relaxed);
  note_tail_seen();
}

promoted deque::take_from(const slot* at, parting how, reserve& memory) noexcept {
  return promotions_.promote(at, slots_.colors_of(at), how, memory);
}

// The owner calls it, or a thief that keeps the owner from claiming.
promoted deque::take_below(const slot* tail, parting how, reserve& memory) noexcept {
  slot* head = head_.load(std::memory_order_relaxed);
  SENNIT_ASSERT(how == parting::half_of_waiting || head <= tail);
  promoted oldest;
  while (head < tail && oldest.frame == nullptr && !oldest.stays) {
    oldest = take_from(head, how, memory);
    if (!oldest.stays) ++head;
  }
  head_.store(head, std::memory_order_relaxed);
  return oldest;
}

// The owner is frozen: from the barrier until the lock is free, its next push, pop or claim waits in the slow
// path.
deque::claimed deque::claim_frozen(const eligibility& may, reserve& memory) noexcept {
  SENNIT_ASSERT(may && tls_ != nullptr && (reasons_ & fenced) == 0);
  shut_gates(*tls_);
  const std::uint64_t begin = now_ns();
  perturb();
  // ORD[D2] [D15] The owner lowers tail and then reads head_gate, or claims of divisible work and then reads
  // limit, with no fence between. After the barrier, either its store is visible here, or it has not read the
  // gate yet and will see it shut. Models: models/deque.pml, models/loop.pml.
  barriers_.settle(barriers_.now());
  const std::uint64_t barrier_ns = now_ns() - begin;
  perturb();
  slot* const tail = tail_for_thieves(may);
  const bool latent = head() < tail;
  const promoted oldest = take_below(tail, parting::half_of_waiting, memory);
  SENNIT_ASSERT(gates_are_shut(*tls_));  // the owner has waited all the while
  // Other work that stays was not taken for want of memory.
  return {.frame = oldest.frame,
          .under_way = latent && oldest.frame == nullptr && (!oldest.stays || oldest.too_little),
          .barrier_ns = barrier_ns};
}

slot* deque::tail_for_thieves(const eligibility& may) const noexcept {
  // ORD[D1] acquire: the frame and all that its branch reads; pairs with publish_tail(). Model:
  // models/deque.pml.
  slot* const tail = tls_->tail.load(std::memory_order_acquire);
  if (!may.seen_only) return tail;
  // ORD[D22] acquire: where the latest frame is; pairs with the release in tell_of_push().
  // Model: models/deque.pml.
  return std::min(tail, tls_->tail_seen.load(std::memory_order_acquire));
}

deque::claimed deque::claim_fenced(const eligibility& may, reserve& memory) noexcept {
  SENNIT_ASSERT(may && tls_ != nullptr && (reasons_ & fenced) != 0);
  for (bool under_way = false;; under_way = true) {
    slot* const head = head_.load(std::memory_order_relaxed);
    if (!pass_head(head + 1, may)) return {.frame = nullptr, .under_way = under_way};
    // The owner cannot retire divisible work: that pop would wait for the lock.
    const promoted oldest = take_from(head, parting::half_of_running, memory);
    // Last of all: from then on the owner may retire the work and use its slot.
    // ORD[D16] release: this thread has done with the work; pairs with the load of head in pop().
    if (oldest.stays) head_.store(head, std::memory_order_release);
    if (oldest.frame != nullptr || oldest.stays) return {.frame = oldest.frame};
  }
}

// Raises the head beyond the oldest frame, if the owner has not taken that.
bool deque::pass_head(slot* next, const eligibility& may) noexcept {
  if (nothing_latent()) return false;  // do not disturb the owner
  // ORD[D2] seq_cst: before the load of tail below; see pop(). Model: models/deque.pml.
  head_.store(next, std::memory_order_seq_cst);
  perturb();
  // ORD[D2] seq_cst: after the store of head. ORD[D1] acquire: the frame and all that its branch reads;
  // pairs with publish_tail(). Model: models/deque.pml.
  if (tls_->tail.load(std::memory_order_seq_cst) >= next && tail_for_thieves(may) >= next) return true;
  head_.store(next - 1, std::memory_order_relaxed);
  return false;
}

}  // namespace sennit::detail
