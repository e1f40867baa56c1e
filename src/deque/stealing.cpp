// What others do with a worker's deque: take its oldest work, look whether there is any, have themselves told of it.
// docs/protocols/deque.md has the protocol.
#include "deque/deque.hpp"
#include "deque/mailbox.hpp"
#include "deque/slots.hpp"
#include "process/perturb.hpp"
#include "system/barrier.hpp"
#include "system/nanoseconds.hpp"

#include <sennit/detail/assert.hpp>

#include <algorithm>
#include <mutex>

namespace sennit::detail {

namespace {

// So many frames of a list are looked at for one that is wanted, unless the thief insists: a list may be long, and the
// lock is held.
constexpr unsigned listed_in_view = 64;

}  // namespace

// The owner is frozen: from the barrier until the lock is free, its next push, pop or claim waits in the slow
// path.
frame* deque::claim_frozen() noexcept {
  SENNIT_ASSERT(!fenced_ && tls_ != nullptr && !frame_wanted_);
  shut_gates();
  const std::uint64_t begin = now_ns();
  perturb();
  // ORD[D2] [D15] The owner lowers tail and then reads head_gate, or raises a loop's start and then reads
  // limit, with no fence between. After the barrier, either its store is visible here, or it has not read the
  // gate yet and will see it shut. Models: models/deque.pml, models/loop.pml.
  paid_.settle(paid_.now());
  asking_.barrier_took(now_ns() - begin);
  perturb();
  slot* const tail = tail_for_thieves();
  const bool at_work = head_.load(std::memory_order_relaxed) < tail;
  frame* const claimed = take_oldest(tail, false);
  // The owner has waited all the while.
  SENNIT_ASSERT(tls_->limit.load(std::memory_order_relaxed) == shut_limit);
  SENNIT_ASSERT(tls_->head_gate.load(std::memory_order_relaxed) == shut_head_gate);
  if (claimed == nullptr && at_work) insist();
  set_gates();
  return claimed;
}

// All there is are chunks under way: who runs them is to look up from that, and hand over half of what is
// left.
void deque::insist() noexcept {
  ask(false);
  insisted_ = true;
}

// Raises the head beyond the oldest frame, if the owner has not taken that.
bool deque::pass_head(slot* next) noexcept {
  if (latent_over()) return false;  // the owner is not to be disturbed
  // ORD[D2] seq_cst: before the load of tail below; see pop(). Model: models/deque.pml.
  head_.store(next, std::memory_order_seq_cst);
  perturb();
  // ORD[D2] seq_cst: after the store of head. ORD[D1] acquire: the frame and all that its branch reads;
  // pairs with publish_tail(). Model: models/deque.pml.
  if (tls_->tail.load(std::memory_order_seq_cst) >= next && tail_for_thieves() >= next) return true;
  head_.store(next - 1, std::memory_order_relaxed);
  return false;
}

frame* deque::claim_fenced() noexcept {
  SENNIT_ASSERT(fenced_ && tls_ != nullptr);
  for (bool at_work = false;; at_work = true) {
    slot* const head = head_.load(std::memory_order_relaxed);
    if (!pass_head(head + 1)) {
      if (at_work) insist();
      return nullptr;
    }
    loop_frame* const loop = loop_in(*head);
    if (loop == nullptr) {
      frame* const claimed = mark_stolen(head);
      if (claimed != nullptr) {
        count_promotion();
      } else {
        // ORD[D16] release: the same as in cut_passed(), for want of memory.
        head_.store(head, std::memory_order_release);
      }
      return claimed;
    }
    // The owner cannot retire it: that pop would wait for the lock.
    const loop_frame::rest left = loop->look();
    if (!left.none()) return cut_passed(*loop, left, head);
  }
}

// Half of a loop that the head has passed. Where something is left of the loop, the head goes back, last of all: from
// then on the owner may retire the loop and use its slot.
frame* deque::cut_passed(loop_frame& loop, const loop_frame::rest& left, slot* head) noexcept {
  loop_piece* const half = loop.cut_fenced(left, left.middle());
  if (half != nullptr) {
    half->mark_stolen(region_of(head), strand());
    count_promotion();
  }
  // ORD[D16] release: this thread has done with the loop; pairs with the load of head in pop().
  if (half == nullptr || left.start < left.middle()) head_.store(head, std::memory_order_release);
  return half;
}

// Whether the thief may have the listed frame.
bool deque::suits(const wanted& what, frame& listed) const noexcept {
  const stolen_state& stolen = listed.stolen();
  if (!what.suits(stolen.colors)) return false;
  // A strand that its thread has left for good is in no hurry to end, but may have nobody else.
  return what.admits(stolen.region) || (stolen.is_strand && abandoned_);
}

// Whether the rules let this thief take the oldest latent frame, or ask for a first one where the deque is empty. The
// frame may still be out of reach: pass_head() and ask_or_withdraw() say so.
bool deque::may_take_latent(const wanted& what) const noexcept {
  // Another thief may have been here since the hints were read.
  if (tls_ == nullptr || strict_ || between_beats()) return false;
  return runs_for(what) && (latent_over() || what.suits(colors_at(head_.load(std::memory_order_relaxed))));
}

// Whether the strand that owns these frames is in a region that the thief may work for. All frames in a deque belong to
// one strand.
bool deque::runs_for(const wanted& what) const noexcept {
  return what.within == nullptr || (innermost_ != nullptr && what.admits(innermost_->region));
}

bool deque::latent_over() const noexcept {
  return tls_->tail.load(std::memory_order_relaxed) <= head_.load(std::memory_order_relaxed);
}

frame* deque::oldest_listed(const wanted& what, bool all) const noexcept {
  frame* f = listed_.oldest();
  if (what.within == nullptr && what.colors == all_colors) return f;
  for (unsigned looked_at = 0; f != nullptr; f = frame_list::after(*f)) {
    if (suits(what, *f)) return f;
    if (what.within != nullptr && ++looked_at == listed_in_view && !all) return nullptr;
  }
  return nullptr;
}

frame* deque::take_oldest_listed(const wanted& what, bool all) noexcept {
  frame* const taken = oldest_listed(what, all);
  if (taken == nullptr) return nullptr;
  SENNIT_ASSERT(taken->stolen().holder.load(std::memory_order_relaxed) == this);
  listed_.unlink(*taken);
  taken->stolen().holder.store(nullptr, std::memory_order_relaxed);
  return taken;
}

void deque::expect_thief() noexcept {
  if (fenced_) return;
  const std::lock_guard guard(lock_);
  ask_ahead();
}

frame* deque::take_listed(const wanted& what, bool insist) noexcept {
  if (!listed_.any()) return nullptr;
  const std::lock_guard guard(lock_);
  return take_oldest_listed(what, insist);
}

// By hints. Who insists looks in any case.
bool deque::worth_a_look(bool insist) const noexcept {
  if (insist || listed_.any()) return true;
  return !nothing_to_steal_.load(std::memory_order_relaxed) && !between_beats();
}

frame* deque::steal(bool insist, const wanted& what) noexcept {
  if (!worth_a_look(insist) || !lock_.try_lock()) return nullptr;
  const std::lock_guard guard(lock_, std::adopt_lock);
  // Promoted frames are older than those in the deque.
  if (frame* const listed = take_oldest_listed(what, insist)) return listed;
  if (insist) {
    if (frame* const donated = open_donation(what)) {
      SENNIT_ASSERT(donated->stolen().donated);
      donated_.unlink(*donated);
      return donated;
    }
  }
  if (!may_take_latent(what)) return nullptr;
  if (fenced_) return claim_fenced();
  return ask_or_withdraw() ? claim_frozen() : nullptr;
}

// Asks the owner for a frame. If the owner has been asked long enough ago, has a frame and did not answer: withdraws the
// request and returns true. The caller then claims behind a barrier.
bool deque::ask_or_withdraw() noexcept {
  const bool empty = latent_over();
  if (!frame_wanted_ || (asked_ns_ == 0 && !empty)) {
    // What it was asked for may be on its way to somebody, who is not to ask for more meanwhile.
    if (frame_wanted_ || !nothing_to_steal_.load(std::memory_order_relaxed)) ask(empty);
    return false;
  }
  if (empty || insisted_ || !asking_.silent(now_ns() - asked_ns_)) return false;
  answered();
  nothing_to_steal_.store(false, std::memory_order_relaxed);
  return true;
}

bool deque::has_work(const wanted& what) noexcept {
  const std::lock_guard guard(lock_);
  if (oldest_listed(what, true) != nullptr || open_donation(what) != nullptr) return true;
  return tls_ != nullptr && runs_for(what) && !latent_over();
}

deque::bounds deque::filled() const noexcept {
  if (tls_ == nullptr) return {0, 0};
  const auto at = [this](const slot* s) { return static_cast<std::size_t>(s - base_); };
  const slot* const head = head_.load(std::memory_order_relaxed);
  return {at(head), at(std::max<const slot*>(head, tls_->tail.load(std::memory_order_relaxed)))};
}

unsigned deque::work_for(unsigned most) noexcept {
  const std::lock_guard guard(lock_);
  unsigned found = open_donation({}) != nullptr ? 1 : 0;
  for (frame* f = listed_.oldest(); f != nullptr && found < most; f = frame_list::after(*f)) ++found;
  const bounds in = filled();
  // A loop is for many.
  if (in.head < in.tail && loop_in(*head_.load(std::memory_order_relaxed)) != nullptr) return most;
  return static_cast<unsigned>(std::min<std::size_t>(most, found + in.tail - in.head));
}

deque::watched deque::look_again() noexcept {
  const std::lock_guard guard(lock_);
  const bool met = !wake_wanted_ || waking_.noted();
  if (listed_.any() || open_donation({}) != nullptr) return {.lasts = true, .met = met};
  const bounds in = filled();
  return {.lasts = wake_wanted_ && waking_.lasts(now_ns(), wake_wanted_ns_, epoch(), in.head, in.tail),
          .met = met};
}

barriers::ticket deque::shut_push_gate() noexcept {
  const std::lock_guard guard(lock_);
  if (!wake_wanted_) {
    wake_wanted_ = true;
    if (tls_ != nullptr) {
      tls_->limit_beneath.store(shut_limit, std::memory_order_relaxed);
      tls_->limit.store(shut_limit, std::memory_order_relaxed);
    }
    note_wake_wanted();
  }
  return wake_wanted_since_;
}

void deque::note_wake_wanted() noexcept {
  waking_.forget();
  wake_wanted_since_ = paid_.now();
  wake_wanted_ns_ = now_ns();
}

deque::sign deque::ask_for_sign() noexcept {
  const std::lock_guard guard(lock_);
  sign_wanted_ = true;
  if (tls_ == nullptr) return {};
  tls_->limit_beneath.store(shut_limit, std::memory_order_relaxed);
  tls_->limit.store(shut_limit, std::memory_order_relaxed);
  return {.signs = signs_,
          .epoch = epoch(),
          .tail = tls_->tail.load(std::memory_order_relaxed),
          .strand = strand()};
}

deque::holding deque::look() noexcept {
  const std::lock_guard guard(lock_);
  holding result;
  if (tls_ != nullptr) {
    const slot* const head = head_.load(std::memory_order_relaxed);
    const slot* const tail = tls_->tail.load(std::memory_order_relaxed);
    if (tail > head) result.latent = static_cast<std::size_t>(tail - head);
  }
  for (const frame_list* list : {&listed_, &withheld_, &donated_}) {
    for (frame* f = list->oldest(); f != nullptr; f = frame_list::after(*f)) {
      if (result.listed++ == 0) result.oldest_listed = f->stolen().opener;
    }
  }
  result.strand = strand();
  return result;
}

void deque::end_state(frame& f) noexcept {
  if (!f.stolen().allocated) return;
  delete f.state();
  f.set_state(nullptr);
}

bool deque::reclaim(frame& f) noexcept {
  if (f.state() == nullptr) return true;  // kept for its strand, for want of memory
  if (!reclaim_state(f)) return false;
  end_state(f);
  return true;
}

bool deque::reclaim_state(frame& f) noexcept {
  if (mailbox* const box = f.stolen().box; box != nullptr && box->withdraw(f)) return true;
  deque* const holder = f.stolen().holder.load(std::memory_order_relaxed);
  if (holder == nullptr) return false;
  const std::lock_guard guard(holder->lock_);
  // Claimed meanwhile; and maybe listed again, by the claimer.
  if (f.stolen().holder.load(std::memory_order_relaxed) != holder) return false;
  SENNIT_ASSERT(f.stolen().list == &holder->listed_ || f.stolen().list == &holder->withheld_);
  f.stolen().list->unlink(f);
  f.stolen().holder.store(nullptr, std::memory_order_relaxed);
  return true;
}

}  // namespace sennit::detail
