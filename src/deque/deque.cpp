#include "deque/deque.hpp"

#include "process/perturb.hpp"

#include <sennit/detail/assert.hpp>

#include <algorithm>
#include <mutex>
#include <new>

namespace sennit::detail {

deque::deque(std::size_t slots, barriers& paid, bool is_fenced, unsigned sticky, std::uint64_t beat_ns)
    : slots_(slots),
      paid_(paid),
      fenced_(is_fenced),
      head_(bottom()),
      sticky_(sticky),
      promotions_(beat_ns) {}

void deque::attach(worker_tls& tls) noexcept {
  const std::lock_guard guard(lock_);
  SENNIT_ASSERT(tls_ == nullptr);
  tls_ = &tls;
  listed_.abandon(false);
  nothing_to_steal_.store(request_.pending(), std::memory_order_relaxed);
  begin_anew();
  tls.loop_mask = fenced_ ? 0 : ~std::uint64_t{0};
}

void deque::detach(bool for_good) noexcept {
  const std::lock_guard guard(lock_);
  SENNIT_ASSERT(tls_ != nullptr && empty());
  tls_ = nullptr;
  listed_.abandon(for_good);
  nothing_to_steal_.store(true, std::memory_order_relaxed);
}

bool deque::enter(scope* innermost, bool frame_wanted, bool sleepers) noexcept {
  const std::lock_guard guard(lock_);
  here_.enter(innermost);
  follow_region();
  promotions_.follow(innermost != nullptr ? innermost->region : nullptr);
  // The owner's own gate: its next push sees it without a barrier.
  if (here_.follow_root() && sleepers && !wake_.pending()) wake_.begin(paid_.now());
  // No thief looked here while the strand before was in a strict region.
  if (innermost != nullptr && !here_.strict() && !request_.pending())
    nothing_to_steal_.store(false, std::memory_order_relaxed);
  if (frame_wanted) ask_ahead();
  follow_reasons();
  return listed_.has_open_donation({});
}

void deque::leave() noexcept {
  forget_positions();
  (void)enter(nullptr);
}

void deque::region_cancelled() noexcept {
  const std::lock_guard guard(lock_);
  follow_region();
}

void deque::follow_region() noexcept {
  const unsigned before = sticky();
  const unsigned after = (before & contract) | here_.follow_region();
  if (after == before) return;
  if (tls_ != nullptr && (after & ~before & observed) != 0) {
    tls_->tail_seen.store(tls_->tail.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  sticky_.store(after, std::memory_order_relaxed);
  follow_reasons();
}

unsigned deque::reasons() const noexcept {
  return sticky() | wake_.reasons() | request_.reasons() | (fenced_ ? unsigned{fenced} : 0U) |
         (sign_wanted_ ? unsigned{sign_wanted} : 0U);
}

void deque::follow_reasons() noexcept {
  SENNIT_ASSERT(tls_ != nullptr || nothing_to_steal_.load(std::memory_order_relaxed));
  if (tls_ != nullptr) set_gates(*tls_, reasons(), head_.load(std::memory_order_relaxed), slots_.end());
}

void deque::begin_anew() noexcept {
  forget_positions();
  here_.move_to(bottom());
  head_.store(bottom(), std::memory_order_relaxed);
  tls_->tail.store(bottom(), std::memory_order_relaxed);
  tls_->tail_seen.store(bottom(), std::memory_order_relaxed);
  follow_reasons();
}

deque::opened deque::open_push_gate(const sleepers& asleep, bool pushed) noexcept {
  const std::lock_guard guard(lock_);
  SENNIT_ASSERT(head_.load(std::memory_order_relaxed) <= tls_->tail.load(std::memory_order_relaxed));
  opened result{.wake = wake_.met(asleep, pushed, epoch(), filled()),
                .room = tls_->tail.load(std::memory_order_relaxed) <= slots_.end(),
                .handed = nullptr};
  if (sign_wanted_) ++signs_;
  sign_wanted_ = false;
  if (request_.pending()) result.handed = hand_over_oldest();
  follow_reasons();
  return result;
}

bool deque::push_colored(std::uintptr_t content, color_set colors) noexcept {
  slot* const tail = load_tail();
  SENNIT_ASSERT(bottom() <= tail && tail <= slots_.end());
  slots_.set_colors(tail, colors);
  tail->store(content | colored_tag, std::memory_order_relaxed);
  publish_tail(tail + 1);
  return !push_gate_shut(tail + 1);
}

deque::popped deque::pop() noexcept {
  worker_tls& tls = *tls_;
  slot* const tail = tls.tail.load(std::memory_order_relaxed);
  // ORD[D22] release: as in observe_pop(). Model: models/deque.pml.
  tls.tail_seen.store(tail, std::memory_order_release);
  perturb();
  if (fenced_) {
    // ORD[D2] seq_cst: the store of tail before the load of head, as a thief in pass_head() orders its
    // store of head before its load of tail. The owner's fence, where there is no membarrier. Model:
    // models/deque.pml.
    tls.tail.exchange(tail, std::memory_order_seq_cst);
    // ORD[D2] seq_cst: the load of that pair.
    if (tail >= head_.load(std::memory_order_seq_cst)) return {.mine = true, .handed = nullptr};
  }
  const std::lock_guard guard(lock_);
  SENNIT_ASSERT(head_.load(std::memory_order_relaxed) <= tail + 1);  // at most this frame has left
  if (tail < head_.load(std::memory_order_relaxed)) {
    // Frames leave only from the head, in order: this one has left, so all older ones have. Begin anew at the
    // bottom, where the pops of the older frames will meet the gate again.
    begin_anew();
    return {.mine = false, .handed = nullptr};
  }
  frame* const handed = request_.pending() ? hand_over_oldest() : nullptr;
  if (request_.pending() && tail == head_.load(std::memory_order_relaxed)) request_.wait_for_push();
  follow_reasons();
  return {.mine = true, .handed = handed};
}

// By the owner, who therefore needs no barrier.
frame* deque::hand_over_oldest() noexcept {
  if (here_.strict() || promotions_.too_early()) {
    // Asked for before the strand was in its region.
    request_.answer();
    if (!here_.strict()) nothing_to_steal_.store(false, std::memory_order_relaxed);
    return nullptr;
  }
  // Too little is not worth a steal, as far as is known: should it last, a barrier will get at it.
  const parting how = request_.insists() ? parting::half : parting::half_if_worth;
  const taken oldest = take_oldest(tls_->tail.load(std::memory_order_relaxed), how);
  request_.defer(oldest.too_little);
  if (oldest.frame != nullptr) request_.answer();
  return oldest.frame;
}

// The oldest frame below the tail, or a part of the oldest work. By the owner, or by a thief that keeps the owner from
// claiming.
deque::taken deque::take_oldest(const slot* tail, parting how) noexcept {
  slot* head = head_.load(std::memory_order_relaxed);
  SENNIT_ASSERT(how == parting::half_of_waiting || head <= tail);
  taken oldest;
  while (head < tail && oldest.frame == nullptr && !oldest.stays) {
    oldest = take_from(head, how);
    if (!oldest.stays) ++head;
  }
  head_.store(head, std::memory_order_relaxed);
  if (oldest.frame != nullptr) promotions_.made_one();
  return oldest;
}

deque::taken deque::take_from(const slot* at, parting how) noexcept {
  divisible* const work = divisible_in(*at);
  if (work == nullptr) {
    frame* const branch = mark_stolen(at);
    return {.frame = branch, .stays = branch == nullptr};
  }
  const taken_part got = work->take_part(how);
  if (got.part != nullptr) mark_stolen(*got.part, at);
  return {.frame = got.part,
          .stays = got.left != remains::nothing,
          .too_little = got.left == remains::too_little};
}

// The branch in the slot; null without memory for its state. Then only its strand can have the branch.
frame* deque::mark_stolen(const slot* at) noexcept {
  if (frame_with_state* const branch = branch_with_state_in(*at)) {
    mark_stolen(*branch, at);
    return branch;
  }
  frame& branch = branch_in(*at);
  branch.set_state(new (std::nothrow) stolen_state(here_.region_of(at), here_.strand()));
  if (branch.state() == nullptr) return nullptr;
  branch.stolen().allocated = true;
  branch.stolen().colors = slots_.colors_of(at, color());
  return &branch;
}

void deque::mark_stolen(frame_with_state& f, const slot* at) noexcept {
  f.mark_stolen(here_.region_of(at), here_.strand()).colors = slots_.colors_of(at, color());
}

bool deque::promote_all() noexcept {
  const std::lock_guard guard(lock_);
  slot* const tail = tls_->tail.load(std::memory_order_relaxed);
  slot* const head = head_.load(std::memory_order_relaxed);
  SENNIT_ASSERT(head <= tail);
  for (const slot* at = head; at < tail; ++at) promote(at);
  begin_anew();
  here_.enter(nullptr);
  return head < tail;
}

// Without memory the frame stays with its strand.
void deque::promote(const slot* at) noexcept {
  frame* const promoted = take_from(at, parting::all).frame;
  if (promoted == nullptr) return;
  listed_.append(*promoted);
  promotions_.made_one();
}

deque::split_off deque::split_off_newest() noexcept {
  const std::lock_guard guard(lock_);
  slot* const newest = tls_->tail.load(std::memory_order_relaxed) - 1;
  slot* const head = head_.load(std::memory_order_relaxed);
  SENNIT_ASSERT(head <= newest && divisible_in(*newest) == nullptr);
  frame* const branch = mark_stolen(newest);
  if (branch == nullptr) return {.newest = nullptr, .listed = false};
  for (const slot* at = head; at < newest; ++at) promote(at);
  promotions_.made_one();
  begin_anew();
  return {.newest = branch, .listed = head < newest && !here_.strict()};
}

void deque::handed_on() noexcept {
  const std::lock_guard guard(lock_);
  if (!request_.pending()) nothing_to_steal_.store(false, std::memory_order_relaxed);
}

void deque::searchers_served() noexcept {
  const std::lock_guard guard(lock_);
  if (request_.for_next_push()) request_.answer();
  if (!request_.pending()) nothing_to_steal_.store(false, std::memory_order_relaxed);
  follow_reasons();
}

void deque::expect_thief() noexcept {
  if (fenced_) return;
  const std::lock_guard guard(lock_);
  ask_ahead();
}

// For the frame of the next push.
void deque::ask_ahead() noexcept {
  if (!fenced_ && !request_.pending() && !here_.strict() && !promotions_.too_early()) ask(true);
}

void deque::ask(bool next_push) noexcept {
  request_.ask(next_push, now_ns());
  nothing_to_steal_.store(true, std::memory_order_relaxed);
  follow_reasons();
}

void deque::readmit(divisible& newest) noexcept {
  const std::lock_guard guard(lock_);
  slot* const tail = tls_->tail.load(std::memory_order_relaxed);
  if (newest.exhausted() || tail > head_.load(std::memory_order_relaxed)) return;
  // All older frames have left, too.
  begin_anew();
  bottom()->store(reinterpret_cast<std::uintptr_t>(&newest) | divisible::tag, std::memory_order_relaxed);
  // Thieves read it under the lock.
  tls_->tail.store(bottom() + 1, std::memory_order_relaxed);
  tls_->tail_seen.store(bottom() + 1, std::memory_order_relaxed);
}

filled_slots deque::filled() const noexcept {
  if (tls_ == nullptr) return {};
  const slot* const head = head_.load(std::memory_order_relaxed);
  const slot* const tail = tls_->tail.load(std::memory_order_relaxed);
  return {slots_.number_of(head), slots_.number_of(std::max(head, tail))};
}

}  // namespace sennit::detail
