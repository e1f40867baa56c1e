// What others do with a worker's deque: take its oldest work, look whether there is any, have themselves told of it.
// docs/protocols/deque.md has the protocol.
#include "deque/deque.hpp"
#include "process/perturb.hpp"
#include "system/nanoseconds.hpp"

#include <sennit/detail/assert.hpp>

#include <algorithm>
#include <mutex>

namespace sennit::detail {

frame* deque::steal(bool insist, const wanted& what) noexcept {
  if (!worth_a_look(insist) || !lock_.try_lock()) return nullptr;
  const std::lock_guard guard(lock_, std::adopt_lock);
  // Promoted frames are older than those in the deque.
  if (frame* const listed = listed_.take_oldest(what, insist)) return listed;
  if (insist) {
    if (frame* const donated = listed_.take_open_donation(what)) return donated;
  }
  if (!may_take_latent(what)) return nullptr;
  if (fenced_) return claim_fenced();
  return ask_or_withdraw() ? claim_frozen() : nullptr;
}

// By hints. Who insists looks in any case.
bool deque::worth_a_look(bool insist) const noexcept {
  if (insist || listed_.any()) return true;
  return !nothing_to_steal_.load(std::memory_order_relaxed) && !promotions_.too_early();
}

// Whether the rules let this thief take the oldest latent frame, or ask for a first one where the deque is empty. The
// frame may still be out of reach: pass_head() and ask_or_withdraw() say so.
bool deque::may_take_latent(const wanted& what) const noexcept {
  // Another thief may have been here since the hints were read.
  if (tls_ == nullptr || here_.strict() || promotions_.too_early() || !here_.runs_for(what)) return false;
  return nothing_latent() || what.suits(slots_.colors_of(head_.load(std::memory_order_relaxed), color()));
}

bool deque::nothing_latent() const noexcept {
  return tls_->tail.load(std::memory_order_relaxed) <= head_.load(std::memory_order_relaxed);
}

// Asks the owner for a frame. If the owner has been asked long enough ago, has a frame and did not answer: withdraws the
// request and returns true. The caller then claims behind a barrier.
bool deque::ask_or_withdraw() noexcept {
  const bool empty = nothing_latent();
  if (!request_.pending() || (request_.for_next_push() && !empty)) {
    // What it was asked for may be on its way to somebody, who is not to ask for more meanwhile.
    if (request_.pending() || !nothing_to_steal_.load(std::memory_order_relaxed)) ask(empty);
    return false;
  }
  if (empty || request_.insists() || !request_.overdue(now_ns())) return false;
  request_.answer();
  nothing_to_steal_.store(false, std::memory_order_relaxed);
  return true;
}

// The owner is frozen: from the barrier until the lock is free, its next push, pop or claim waits in the slow
// path.
frame* deque::claim_frozen() noexcept {
  SENNIT_ASSERT(!fenced_ && tls_ != nullptr && !request_.pending());
  shut_gates(*tls_);
  const std::uint64_t begin = now_ns();
  perturb();
  // ORD[D2] [D15] The owner lowers tail and then reads head_gate, or raises a loop's start and then reads
  // limit, with no fence between. After the barrier, either its store is visible here, or it has not read the
  // gate yet and will see it shut. Models: models/deque.pml, models/loop.pml.
  paid_.settle(paid_.now());
  request_.barrier_took(now_ns() - begin);
  perturb();
  slot* const tail = tail_for_thieves();
  const bool at_work = head_.load(std::memory_order_relaxed) < tail;
  frame* const claimed = take_oldest(tail, parting::half_of_waiting).frame;
  SENNIT_ASSERT(gates_are_shut(*tls_));  // the owner has waited all the while
  if (claimed == nullptr && at_work) insist();
  follow_reasons();
  return claimed;
}

slot* deque::tail_for_thieves() const noexcept {
  // ORD[D1] acquire: the frame and all that its branch reads; pairs with publish_tail(). Model:
  // models/deque.pml.
  slot* const tail = tls_->tail.load(std::memory_order_acquire);
  if ((sticky() & observed) == 0) return tail;
  // ORD[D22] acquire: where the latest frame is; pairs with the release in observe_push().
  // Model: models/deque.pml.
  return std::min(tail, tls_->tail_seen.load(std::memory_order_acquire));
}

// All there is are chunks under way: who runs them is to look up from that, and hand over half of what is
// left.
void deque::insist() noexcept {
  request_.insist(now_ns());
  nothing_to_steal_.store(true, std::memory_order_relaxed);
  follow_reasons();
}

frame* deque::claim_fenced() noexcept {
  SENNIT_ASSERT(fenced_ && tls_ != nullptr);
  for (bool at_work = false;; at_work = true) {
    slot* const head = head_.load(std::memory_order_relaxed);
    if (!pass_head(head + 1)) {
      if (at_work) insist();
      return nullptr;
    }
    // The owner cannot retire divisible work: that pop would wait for the lock.
    const taken oldest = take_from(head, parting::half_of_running);
    if (oldest.frame != nullptr) promotions_.made_one();
    // Last of all: from then on the owner may retire the work and use its slot.
    // ORD[D16] release: this thread has done with the work; pairs with the load of head in pop().
    if (oldest.stays) head_.store(head, std::memory_order_release);
    if (oldest.frame != nullptr || oldest.stays) return oldest.frame;
  }
}

// Raises the head beyond the oldest frame, if the owner has not taken that.
bool deque::pass_head(slot* next) noexcept {
  if (nothing_latent()) return false;  // the owner is not to be disturbed
  // ORD[D2] seq_cst: before the load of tail below; see pop(). Model: models/deque.pml.
  head_.store(next, std::memory_order_seq_cst);
  perturb();
  // ORD[D2] seq_cst: after the store of head. ORD[D1] acquire: the frame and all that its branch reads;
  // pairs with publish_tail(). Model: models/deque.pml.
  if (tls_->tail.load(std::memory_order_seq_cst) >= next && tail_for_thieves() >= next) return true;
  head_.store(next - 1, std::memory_order_relaxed);
  return false;
}

bool deque::has_work(const wanted& what) noexcept {
  const std::lock_guard guard(lock_);
  return listed_.has(what) || (tls_ != nullptr && here_.runs_for(what) && !nothing_latent());
}

unsigned deque::work_for(unsigned most) noexcept {
  const std::lock_guard guard(lock_);
  const filled_slots in = filled();
  if (in.head < in.tail && divisible_in(*head_.load(std::memory_order_relaxed)) != nullptr) return most;
  return static_cast<unsigned>(std::min<std::size_t>(most, listed_.count(most) + in.tail - in.head));
}

barriers::ticket deque::shut_push_gate() noexcept {
  const std::lock_guard guard(lock_);
  if (!wake_.pending()) {
    if (tls_ != nullptr) detail::shut_push_gate(*tls_);
    wake_.begin(paid_.now());
  }
  return wake_.since();
}

deque::watched deque::look_again() noexcept {
  const std::lock_guard guard(lock_);
  const bool met = wake_.has_been_met();
  const bool lasts = listed_.any() || listed_.has_open_donation({}) || wake_.lasts(epoch(), filled());
  return {.lasts = lasts, .met = met};
}

deque::sign deque::ask_for_sign() noexcept {
  const std::lock_guard guard(lock_);
  sign_wanted_ = true;
  if (tls_ == nullptr) return {};
  detail::shut_push_gate(*tls_);
  return {.signs = signs_,
          .epoch = epoch(),
          .tail = tls_->tail.load(std::memory_order_relaxed),
          .strand = here_.strand()};
}

deque::holding deque::look() noexcept {
  const std::lock_guard guard(lock_);
  const filled_slots in = filled();
  const auto [listed, oldest] = listed_.look();
  return {.latent = in.tail - in.head, .listed = listed, .oldest_listed = oldest, .strand = here_.strand()};
}

}  // namespace sennit::detail
