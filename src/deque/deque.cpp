#include "deque/deque.hpp"

#include "deque/slots.hpp"
#include "observe/trace_cursor.hpp"
#include "process/perturb.hpp"
#include "sleep/sleepers.hpp"
#include "system/barrier.hpp"
#include "system/failure.hpp"
#include "system/nanoseconds.hpp"

#include <sennit/detail/assert.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

namespace sennit::detail {

namespace {

// A word for each slot's colors comes behind the slots.
static_assert(sizeof(slot) == sizeof(std::atomic<color_set>));
constexpr std::size_t bytes_for(std::size_t slots) { return 2 * slots * sizeof(slot); }

// Reserved once: a deque never grows by moving, because thieves read slots while the owner pushes.
slot* reserve(std::size_t slots) {
  void* const memory = mmap(nullptr, bytes_for(slots), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) fail_for_memory();
  madvise(memory, bytes_for(slots), MADV_NOHUGEPAGE);
  return static_cast<slot*>(memory);
}

}  // namespace

// One slot before the first for a pop below it, one behind the last for the push that finds the deque full.
deque::deque(std::size_t slots, barriers& paid, bool fenced, unsigned sticky, std::uint64_t beat_ns)
    : base_(reserve(slots + 2) + 1),
      end_(base_ + slots),
      colors_(reinterpret_cast<std::atomic<color_set>*>(end_ + 1)),
      paid_(paid),
      fenced_(fenced),
      default_beat_ns_(beat_ns),
      head_(base_),
      sticky_(sticky) {
  beats_.set_period(beat_ns);
}

deque::~deque() { munmap(base_ - 1, bytes_for(static_cast<std::size_t>(end_ - base_ + 2))); }

slot* deque::open_limit() const noexcept {
  const bool sticky = (sticky_.load(std::memory_order_relaxed) & ~unsigned{observed}) != 0;
  return wake_wanted_ || sign_wanted_ || (frame_wanted_ && !request_deferred_) || sticky ? shut_limit : end_;
}

slot* deque::open_head_gate(slot* head) const noexcept {
  const bool asked = frame_wanted_ && asked_ns_ != 0;
  const bool sticky = (sticky_.load(std::memory_order_relaxed) & ~unsigned{observed}) != 0;
  return fenced_ || asked || sticky ? shut_head_gate : head;
}

void deque::attach(worker_tls& tls) noexcept {
  const std::lock_guard guard(lock_);
  SENNIT_ASSERT(tls_ == nullptr);
  tls_ = &tls;
  abandoned_ = false;
  nothing_to_steal_.store(frame_wanted_, std::memory_order_relaxed);
  begin_anew();
  set_gates();
  tls.loop_mask = fenced_ ? 0 : ~std::uint64_t{0};
}

void deque::begin_anew() noexcept {
  forget_positions();
  for (scope* s = innermost_; s != nullptr; s = s->outer) s->first = base_;
  head_.store(base_, std::memory_order_relaxed);
  tls_->tail.store(base_, std::memory_order_relaxed);
  tls_->tail_seen.store(base_, std::memory_order_relaxed);
  set_gates();
}

void deque::detach(bool for_good) noexcept {
  const std::lock_guard guard(lock_);
  SENNIT_ASSERT(tls_ != nullptr && empty());
  tls_ = nullptr;
  abandoned_ = for_good;
  nothing_to_steal_.store(true, std::memory_order_relaxed);
}

bool deque::enter(scope* innermost, bool frame_wanted, bool sleepers) noexcept {
  const std::lock_guard guard(lock_);
  innermost_ = innermost;
  follow_region();
  follow_beats();
  if (innermost != nullptr && follow_root() && sleepers && !wake_wanted_) {
    // The owner's own gate: its next push sees it without a barrier.
    wake_wanted_ = true;
    note_wake_wanted();
    set_gates();
  }
  if (frame_wanted) ask_ahead();
  set_gates();
  return open_donation({}) != nullptr;
}

// For the frame of the next push.
void deque::ask_ahead() noexcept {
  if (!fenced_ && !frame_wanted_ && !strict_ && !between_beats()) ask(true);
}

// True: the strand is of another outside thread's region than the one before.
bool deque::follow_root() noexcept {
  const region_state* r = innermost_->region;
  while (!r->root && r->outer != nullptr) r = r->outer;
  return std::exchange(root_, r) != r;
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
  const bool stop = innermost_ != nullptr && innermost_->region->stopped();
  const schedule_hooks* const by = innermost_ != nullptr ? hooks_of(innermost_->region) : nullptr;
  strict_ = by != nullptr && by->strict();
  const unsigned before = sticky_.load(std::memory_order_relaxed);
  const unsigned after =
      (before & contract) | (stop ? unsigned{cancelled} : 0U) | (by != nullptr ? unsigned{observed} : 0U);
  if (after == before) return;
  if (tls_ != nullptr && (after & ~before & observed) != 0) {
    tls_->tail_seen.store(tls_->tail.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  sticky_.store(after, std::memory_order_relaxed);
  set_gates();
}

// A beat belongs to the worker, and to the promotions that its region allows.
void deque::follow_beats() noexcept {
  std::uint64_t period = default_beat_ns_;
  for (const region_state* r = innermost_ != nullptr ? innermost_->region : nullptr; r != nullptr;
       r = r->outer) {
    if (r->beat_ns == region_state::inherited) continue;
    period = r->beat_ns;
    break;
  }
  if (period == beats_.period_ns()) return;
  beats_.set_period(period);
  next_beat_ns_.store(beats_.next_ns(), std::memory_order_relaxed);
}

bool deque::between_beats() const noexcept {
  const std::uint64_t next = next_beat_ns();
  return next != 0 && now_ns() < next;
}

void deque::count_promotion() noexcept {
  promotions_.fetch_add(1, std::memory_order_relaxed);
  if (on_demand()) return;
  beats_.promoted(now_ns());
  next_beat_ns_.store(beats_.next_ns(), std::memory_order_relaxed);
}

void deque::set_gates() noexcept {
  // The reasons agree.
  SENNIT_ASSERT(frame_wanted_ || (!request_deferred_ && !insisted_ && asked_ns_ == 0));
  SENNIT_ASSERT(tls_ != nullptr || nothing_to_steal_.load(std::memory_order_relaxed));
  if (tls_ == nullptr) return;
  slot* const head_gate = open_head_gate(head_.load(std::memory_order_relaxed));
  slot* const limit = open_limit();
  const bool seen = (sticky_.load(std::memory_order_relaxed) & observed) != 0;
  // Read by observed strands, in which no loop is exposed: D16 does not concern them.
  tls_->head_gate_beneath.store(head_gate, std::memory_order_relaxed);
  tls_->limit_beneath.store(limit, std::memory_order_relaxed);
  // ORD[D16] release: the cuts that were made while the gates were shut, and that this thread has done with
  // loops that the owner may retire now; pairs with the acquire in pop_gate_shut(). Model: models/loop.pml.
  tls_->head_gate.store(seen ? shut_head_gate : head_gate, std::memory_order_release);
  // ORD[D16] release: the same; pairs with the acquire in any_gate_shut(). Model: models/loop.pml.
  tls_->limit.store(seen ? shut_limit : limit, std::memory_order_release);
}

void deque::shut_gates() noexcept {
  tls_->limit.store(shut_limit, std::memory_order_relaxed);
  tls_->limit_beneath.store(shut_limit, std::memory_order_relaxed);
  tls_->head_gate.store(shut_head_gate, std::memory_order_relaxed);
  tls_->head_gate_beneath.store(shut_head_gate, std::memory_order_relaxed);
}

slot* deque::tail_for_thieves() const noexcept {
  // ORD[D1] acquire: the frame and all that its branch reads; pairs with publish_tail(). Model:
  // models/deque.pml.
  slot* const tail = tls_->tail.load(std::memory_order_acquire);
  if ((sticky_.load(std::memory_order_relaxed) & observed) == 0) return tail;
  // ORD[D22] acquire: where the latest frame is; pairs with the release in observe_push().
  // Model: models/deque.pml.
  return std::min(tail, tls_->tail_seen.load(std::memory_order_acquire));
}

deque::opened deque::open_push_gate(const sleepers& asleep, bool pushed) noexcept {
  const std::lock_guard guard(lock_);
  SENNIT_ASSERT(head_.load(std::memory_order_relaxed) <= tls_->tail.load(std::memory_order_relaxed));
  opened result{.wake = false, .room = tls_->tail.load(std::memory_order_relaxed) <= end_, .handed = nullptr};
  if (wake_wanted_) {
    using verdict = policy::waking::verdict;
    const bounds in = filled();
    // Under the lock: whoever has ceased to watch looks at this deque after that.
    const bool watched = asleep.watched();
    const verdict said = waking_.met(watched, pushed, watched ? now_ns() : 0, epoch(), in.head, in.tail);
    wake_wanted_ = said == verdict::wait;
    result.wake = said == verdict::wake;
  }
  if (sign_wanted_) ++signs_;
  sign_wanted_ = false;
  if (frame_wanted_) result.handed = hand_over_oldest();
  set_gates();
  return result;
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
  slot* const head = head_.load(std::memory_order_relaxed);
  SENNIT_ASSERT(head <= tail + 1);  // at most this frame has left
  if (tail >= head) {
    frame* const handed = frame_wanted_ ? hand_over_oldest() : nullptr;
    if (frame_wanted_ && tail == head) {
      // Nothing to hand over: the next push will have.
      request_deferred_ = false;
      asked_ns_ = 0;
    }
    set_gates();
    return {.mine = true, .handed = handed};
  }
  // Frames leave only from the head, in order: this one has left, so all older ones have. Begin anew at the
  // bottom, where the pops of the older frames will meet the gate again.
  begin_anew();
  return {.mine = false, .handed = nullptr};
}

bool deque::promote_all() noexcept {
  const std::lock_guard guard(lock_);
  slot* const tail = tls_->tail.load(std::memory_order_relaxed);
  slot* const head = head_.load(std::memory_order_relaxed);
  SENNIT_ASSERT(head <= tail);
  for (slot* position = head; position < tail; ++position) promote(position);
  begin_anew();
  innermost_ = nullptr;
  return head < tail;
}

deque::split_off deque::split_off_newest() noexcept {
  const std::lock_guard guard(lock_);
  slot* const newest = tls_->tail.load(std::memory_order_relaxed) - 1;
  slot* const head = head_.load(std::memory_order_relaxed);
  SENNIT_ASSERT(head <= newest && loop_in(*newest) == nullptr);
  frame* const donated = mark_stolen(newest);
  if (donated == nullptr) return {.newest = nullptr, .listed = false};
  count_promotion();
  for (slot* position = head; position < newest; ++position) promote(position);
  begin_anew();
  return {.newest = donated, .listed = head < newest && !strict_};
}

bool deque::donate(frame& f) noexcept {
  const std::lock_guard guard(lock_);
  // Nobody can have it back.
  SENNIT_ASSERT(f.stolen().holder.load(std::memory_order_relaxed) == nullptr);
  f.stolen().donated = true;
  donated_.append(f);
  return open_to_others(f);
}

bool deque::may_begin(worker& by, frame& donated) const noexcept {
  const stolen_state& stolen = donated.stolen();
  if (!own_wish().admits(stolen.region)) return false;
  return stolen.number == nowhere || hooks_of(stolen.region)->may_begin(by, stolen.number);
}

frame* deque::take_donated(worker& by) noexcept {
  if (!donated_.any()) return nullptr;
  const std::lock_guard guard(lock_);
  for (frame* f = donated_.oldest(); f != nullptr; f = frame_list::after(*f)) {
    if (!may_begin(by, *f)) continue;
    SENNIT_ASSERT(f->stolen().donated);
    donated_.unlink(*f);
    return f;
  }
  return nullptr;
}

bool deque::has_donation(worker& by) noexcept {
  if (!donated_.any()) return false;
  const std::lock_guard guard(lock_);
  for (frame* f = donated_.oldest(); f != nullptr; f = frame_list::after(*f)) {
    if (may_begin(by, *f)) return true;
  }
  return false;
}

// Its worker is too busy to begin with it, unless its schedule's hooks insist on that worker. Or its thread has
// left, or is one of another region, and to insist would not help.
bool deque::open_to_others(frame& donated) const noexcept {
  const schedule_hooks* const by = hooks_of(donated.stolen().region);
  return abandoned_ || !own_wish().admits(donated.stolen().region) ||
         (innermost_ != nullptr && (by == nullptr || !by->strict()));
}

frame* deque::open_donation(const wanted& what) const noexcept {
  for (frame* f = donated_.oldest(); f != nullptr; f = frame_list::after(*f)) {
    if (open_to_others(*f) && what.suits(f->stolen().colors) && what.admits(f->stolen().region)) return f;
  }
  return nullptr;
}

// The colors are written before publish_tail(), and read by who has read tail: edge D1.
bool deque::push_colored(std::uintptr_t content, color_set colors) noexcept {
  slot* const tail = load_tail();
  SENNIT_ASSERT(base_ <= tail && tail <= end_);
  colors_[tail - base_].store(colors, std::memory_order_relaxed);
  tail->store(content | colored_tag, std::memory_order_relaxed);
  publish_tail(tail + 1);
  return !push_gate_shut(tail + 1);
}

color_set deque::colors_at(const slot* position) const noexcept {
  return is_colored(*position) ? colors_[position - base_].load(std::memory_order_relaxed)
                               : own_color_.load(std::memory_order_relaxed);
}

// The branch in the slot; null without memory for its state. Then only its strand can have it.
frame* deque::mark_stolen(const slot* position) noexcept {
  frame& f = fork_in(*position);
  if (frame_with_state* const own = with_state(*position)) {
    mark_stolen(*own, position);
    return &f;
  }
  f.set_state(new (std::nothrow) stolen_state(region_of(position), strand()));
  if (f.state() == nullptr) return nullptr;
  f.stolen().allocated = true;
  f.stolen().colors = colors_at(position);
  return &f;
}

void deque::mark_stolen(frame_with_state& f, const slot* position) noexcept {
  f.mark_stolen(region_of(position), strand()).colors = colors_at(position);
}

void deque::promote(slot* position) noexcept {
  loop_frame* const loop = loop_in(*position);
  if (loop == nullptr) {
    if (frame* const f = mark_stolen(position)) {
      append(*f);
      count_promotion();
    }
  } else if (const loop_frame::rest left = loop->look(); !left.none()) {
    // Without memory the rest stays with the strand.
    if (loop_piece* const rest = loop->cut(left, left.start)) {
      rest->mark_stolen(region_of(position), strand());
      append(*rest);
      loop->split_off_from(*rest);
      count_promotion();
    }
  }
}

void deque::list(frame& f) noexcept {
  const std::lock_guard guard(lock_);
  SENNIT_ASSERT(f.stolen().holder.load(std::memory_order_relaxed) == nullptr);
  f.stolen().holder.store(this, std::memory_order_relaxed);
  listed_.append(f);
}

void deque::list_branch(frame& f) noexcept {
  const std::lock_guard guard(lock_);
  append(f);
}

// By the owner, who therefore needs no barrier.
frame* deque::hand_over_oldest() noexcept {
  if (strict_ || between_beats()) {
    // Asked for before the strand was in its region.
    answered();
    if (!strict_) nothing_to_steal_.store(false, std::memory_order_relaxed);
    return nullptr;
  }
  frame* const handed = take_oldest(tls_->tail.load(std::memory_order_relaxed), true);
  if (handed != nullptr) answered();
  return handed;
}

// Takes the oldest frame below the tail; of a loop half of what nobody has claimed. By the owner, or by a thief that keeps
// it from claiming.
frame* deque::take_oldest(const slot* tail, bool by_owner) noexcept {
  slot* head = head_.load(std::memory_order_relaxed);
  SENNIT_ASSERT(!by_owner || (frame_wanted_ && head <= tail));
  part taken;
  while (head < tail && taken.frame == nullptr && !taken.stays) {
    slot* const position = head;
    loop_frame* const loop = loop_in(*position);
    if (loop == nullptr) {
      taken.frame = mark_stolen(position);
      taken.stays = taken.frame == nullptr;  // for want of memory
    } else {
      taken = cut_half(*loop, by_owner);
      if (taken.frame != nullptr) mark_stolen(static_cast<loop_piece&>(*taken.frame), position);
    }
    if (!taken.stays) ++head;
  }
  head_.store(head, std::memory_order_relaxed);
  if (taken.frame != nullptr) count_promotion();
  return taken.frame;
}

deque::part deque::cut_half(loop_frame& loop, bool by_owner) noexcept {
  const loop_frame::rest left = loop.look();
  if (left.none()) return {};
  if (by_owner) {
    // Not worth a steal, as far as is known: should it last, a barrier will get at it.
    request_deferred_ = !insisted_ && !loop.worth_cutting(left);
    if (request_deferred_) return {.frame = nullptr, .stays = true};
  }
  loop_piece* const half = loop.cut(left, left.middle());
  if (half == nullptr) return {.frame = nullptr, .stays = true};  // for want of memory
  if (by_owner) loop.split_off_from(*half);
  return {.frame = half, .stays = left.start < left.middle()};
}

void deque::answered() noexcept {
  frame_wanted_ = false;
  request_deferred_ = false;
  insisted_ = false;
  asked_ns_ = 0;
}

void deque::handed_on() noexcept {
  const std::lock_guard guard(lock_);
  if (!frame_wanted_) nothing_to_steal_.store(false, std::memory_order_relaxed);
}

void deque::searchers_served() noexcept {
  const std::lock_guard guard(lock_);
  if (frame_wanted_ && asked_ns_ == 0) answered();
  if (!frame_wanted_) nothing_to_steal_.store(false, std::memory_order_relaxed);
  set_gates();
}

void deque::ask(bool for_next_push_only) noexcept {
  frame_wanted_ = true;
  request_deferred_ = false;
  asked_ns_ = for_next_push_only ? 0 : now_ns();
  nothing_to_steal_.store(true, std::memory_order_relaxed);
  set_gates();
}

void deque::append(frame& f) noexcept {
  SENNIT_ASSERT(f.stolen().holder.load(std::memory_order_relaxed) == nullptr);
  f.stolen().holder.store(this, std::memory_order_relaxed);
  (strict_ ? withheld_ : listed_).append(f);
}

region_state* deque::region_of(const slot* position) const noexcept {
  SENNIT_ASSERT(innermost_ != nullptr);  // a frame is a strand's
  const scope* s = innermost_;
  while (s->outer != nullptr && position < s->first) s = s->outer;
  return s->region;
}

void deque::readmit(loop_frame& newest) noexcept {
  const std::lock_guard guard(lock_);
  slot* const tail = tls_->tail.load(std::memory_order_relaxed);
  if (newest.look().none() || tail > head_.load(std::memory_order_relaxed)) return;
  // All older frames have left, too.
  begin_anew();
  base_->store(reinterpret_cast<std::uintptr_t>(&newest) | loop_frame::tag, std::memory_order_relaxed);
  // Thieves read it under the lock.
  tls_->tail.store(base_ + 1, std::memory_order_relaxed);
  tls_->tail_seen.store(base_ + 1, std::memory_order_relaxed);
}

position deque::claim(loop_frame& loop, position from, position to) noexcept {
  const std::lock_guard guard(lock_);
  return std::max(from, std::min(to, loop.end()));
}

}  // namespace sennit::detail
