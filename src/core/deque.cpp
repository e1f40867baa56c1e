#include "core/deque.hpp"

#include "core/barrier.hpp"
#include "core/course.hpp"
#include "core/failure.hpp"
#include "core/mailbox.hpp"
#include "core/nanoseconds.hpp"
#include "core/perturb.hpp"
#include "core/sleepers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

namespace sennit::detail {

namespace {

constexpr std::uintptr_t kind_mask = 7;
constexpr std::uintptr_t colored_tag = 2;  // a fork with colors
static_assert((loop_frame::tag & colored_tag) == 0);

// So many frames of a list are looked at for one that is wanted: a list may be long, and the lock is held.
constexpr unsigned listed_in_view = 64;

slot* const shut_limit = nullptr;
slot* const shut_head_gate = reinterpret_cast<slot*>(~std::uintptr_t{0});

// What a slot holds. A loop may be looked at only while its owner cannot retire it.
loop_frame* loop_in(const slot& s) noexcept {
  const std::uintptr_t content = s.load(std::memory_order_relaxed);
  return (content & kind_mask) == loop_frame::tag ? reinterpret_cast<loop_frame*>(content & ~kind_mask)
                                                  : nullptr;
}

frame& fork_in(const slot& s) noexcept {
  return *reinterpret_cast<frame*>(s.load(std::memory_order_relaxed) & ~kind_mask);
}

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
  return wake_wanted_ || sign_wanted_ || (frame_wanted_ && !put_off_) || sticky ? shut_limit : end_;
}

slot* deque::open_head_gate(slot* head) const noexcept {
  const bool asked = frame_wanted_ && asked_ns_ != 0;
  const bool sticky = (sticky_.load(std::memory_order_relaxed) & ~unsigned{observed}) != 0;
  return fenced_ || asked || sticky ? shut_head_gate : head;
}

void deque::attach(worker_words& words) noexcept {
  const std::lock_guard guard(lock_);
  words_ = &words;
  deserted_ = false;
  mute_.store(frame_wanted_, std::memory_order_relaxed);
  begin_anew();
  set_gates();
  words.loop_mask = fenced_ ? 0 : ~std::uint64_t{0};
}

void deque::begin_anew() noexcept {
  forget_positions();
  for (scope* s = innermost_; s != nullptr; s = s->outer) s->first = base_;
  head_.store(base_, std::memory_order_relaxed);
  words_->tail.store(base_, std::memory_order_relaxed);
  words_->tail_seen.store(base_, std::memory_order_relaxed);
  set_gates();
}

void deque::detach(bool for_good) noexcept {
  const std::lock_guard guard(lock_);
  words_ = nullptr;
  deserted_ = for_good;
  mute_.store(true, std::memory_order_relaxed);
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
  if (frame_wanted && !fenced_ && !frame_wanted_ && !strict_ && !between_beats()) ask(true);
  set_gates();
  return open_donation({}) != nullptr;
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
  const observer* const by = innermost_ != nullptr ? observer_of(innermost_->region) : nullptr;
  strict_ = by != nullptr && by->strict();
  const unsigned before = sticky_.load(std::memory_order_relaxed);
  const unsigned after =
      (before & contract) | (stop ? unsigned{cancelled} : 0U) | (by != nullptr ? unsigned{observed} : 0U);
  if (after == before) return;
  if (words_ != nullptr && (after & ~before & observed) != 0) {
    words_->tail_seen.store(words_->tail.load(std::memory_order_relaxed), std::memory_order_relaxed);
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
  if (words_ == nullptr) return;
  slot* const head_gate = open_head_gate(head_.load(std::memory_order_relaxed));
  slot* const limit = open_limit();
  const bool seen = (sticky_.load(std::memory_order_relaxed) & observed) != 0;
  // Read by observed strands, in which no loop is exposed: D16 does not concern them.
  words_->head_gate_beneath.store(head_gate, std::memory_order_relaxed);
  words_->limit_beneath.store(limit, std::memory_order_relaxed);
  // ORD[D16] release on both: the cuts that were made while the gates were shut, and that this thread has done with loops
  // that the owner may retire now; pairs with the acquire in any_gate_shut() and pop_gate_shut(). Model: models/loop.pml.
  words_->head_gate.store(seen ? shut_head_gate : head_gate, std::memory_order_release);
  words_->limit.store(seen ? shut_limit : limit, std::memory_order_release);
}

void deque::shut_gates() noexcept {
  words_->limit.store(shut_limit, std::memory_order_relaxed);
  words_->limit_beneath.store(shut_limit, std::memory_order_relaxed);
  words_->head_gate.store(shut_head_gate, std::memory_order_relaxed);
  words_->head_gate_beneath.store(shut_head_gate, std::memory_order_relaxed);
}

slot* deque::tail_for_thieves() const noexcept {
  // ORD[D1] acquire: the frame and all that its branch reads; pairs with publish_tail(). Model: models/deque.pml.
  slot* const tail = words_->tail.load(std::memory_order_acquire);
  if ((sticky_.load(std::memory_order_relaxed) & observed) == 0) return tail;
  // ORD[D22] acquire: where the latest frame is; pairs with the release in observe_push().
  // Model: models/deque.pml.
  return std::min(tail, words_->tail_seen.load(std::memory_order_acquire));
}

deque::opened deque::open_push_gate(const sleepers& asleep, bool pushed) noexcept {
  const std::lock_guard guard(lock_);
  opened result{
      .wake = false, .room = words_->tail.load(std::memory_order_relaxed) <= end_, .handed = nullptr};
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
  worker_words& words = *words_;
  slot* const tail = words.tail.load(std::memory_order_relaxed);
  words.tail_seen.store(tail, std::memory_order_relaxed);
  perturb();
  if (fenced_) {
    // ORD[D2] seq_cst on both: the store of tail before the load of head, as a thief in claim_fenced() orders its store
    // of head before its load of tail. The owner's fence, where there is no membarrier. Model: models/deque.pml.
    words.tail.exchange(tail, std::memory_order_seq_cst);
    if (tail >= head_.load(std::memory_order_seq_cst)) return {.mine = true, .handed = nullptr};
  }
  const std::lock_guard guard(lock_);
  slot* const head = head_.load(std::memory_order_relaxed);
  if (tail >= head) {
    frame* const handed = frame_wanted_ ? hand_over_oldest() : nullptr;
    if (frame_wanted_ && tail == head) {
      // Nothing to hand over: the next push will have.
      put_off_ = false;
      asked_ns_ = 0;
    }
    set_gates();
    return {.mine = true, .handed = handed};
  }
  // Frames leave only from the head, in order: this one has left, so all older ones have. Begin anew at the bottom,
  // where the pops of the older frames will meet the gate again.
  begin_anew();
  return {.mine = false, .handed = nullptr};
}

bool deque::promote_all() noexcept {
  const std::lock_guard guard(lock_);
  slot* const tail = words_->tail.load(std::memory_order_relaxed);
  slot* const head = head_.load(std::memory_order_relaxed);
  for (slot* position = head; position < tail; ++position) promote(position);
  begin_anew();
  innermost_ = nullptr;
  return head < tail;
}

deque::parted deque::part_with_newest() noexcept {
  const std::lock_guard guard(lock_);
  slot* const newest = words_->tail.load(std::memory_order_relaxed) - 1;
  slot* const head = head_.load(std::memory_order_relaxed);
  for (slot* position = head; position < newest; ++position) promote(position);
  frame& f = fork_in(*newest);
  depart(f, newest);
  count_promotion();
  begin_anew();
  return {.newest = &f, .listed = head < newest && !strict_};
}

bool deque::donate(frame& f) noexcept {
  const std::lock_guard guard(lock_);
  f.away().donated = true;
  donated_.append(f);
  return open_to_others(f);
}

bool deque::may_begin(worker& by, frame& donated) const noexcept {
  const departure& away = donated.away();
  if (!own_wish().admits(away.region)) return false;
  return away.number == nowhere || observer_of(away.region)->may_begin(by, away.number);
}

frame* deque::take_donated(worker& by) noexcept {
  if (!donated_.any()) return nullptr;
  const std::lock_guard guard(lock_);
  for (frame* f = donated_.oldest(); f != nullptr; f = frame_list::after(*f)) {
    if (!may_begin(by, *f)) continue;
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

// Its worker is too busy to begin with it, unless its observer insists on that worker. Or its thread has left, or is one of
// another region, and to insist would not help.
bool deque::open_to_others(frame& donated) const noexcept {
  const observer* const by = observer_of(donated.away().region);
  return deserted_ || !own_wish().admits(donated.away().region) ||
         (innermost_ != nullptr && (by == nullptr || !by->strict()));
}

frame* deque::open_donation(const wanted& what) const noexcept {
  for (frame* f = donated_.oldest(); f != nullptr; f = frame_list::after(*f)) {
    if (open_to_others(*f) && what.suits(f->away().colors) && what.admits(f->away().region)) return f;
  }
  return nullptr;
}

// The colors are written before publish_tail(), and read by who has read tail: edge D1.
bool deque::push_colored(frame& f, color_set colors) noexcept {
  slot* const tail = load_tail();
  colors_[tail - base_].store(colors, std::memory_order_relaxed);
  tail->store(reinterpret_cast<std::uintptr_t>(&f) | colored_tag, std::memory_order_relaxed);
  publish_tail(tail + 1);
  return !push_gate_shut(tail + 1);
}

color_set deque::colors_at(const slot* position) const noexcept {
  return (position->load(std::memory_order_relaxed) & kind_mask) == colored_tag
             ? colors_[position - base_].load(std::memory_order_relaxed)
             : own_color_.load(std::memory_order_relaxed);
}

void deque::depart(frame& f, const slot* position) noexcept {
  f.depart(region_of(position), strand()).colors = colors_at(position);
}

void deque::promote(slot* position) noexcept {
  loop_frame* const loop = loop_in(*position);
  if (loop == nullptr) {
    frame& f = fork_in(*position);
    depart(f, position);
    append(f);
    count_promotion();
  } else if (const loop_frame::rest left = loop->look(); !left.none()) {
    // Without memory the rest stays with the strand.
    if (loop_piece* const rest = loop->cut(left, left.start)) {
      rest->depart(region_of(position), strand());
      append(*rest);
      loop->parted_with(*rest);
      count_promotion();
    }
  }
}

void deque::list(frame& f) noexcept {
  const std::lock_guard guard(lock_);
  f.away().holder.store(this, std::memory_order_relaxed);
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
    if (!strict_) mute_.store(false, std::memory_order_relaxed);
    return nullptr;
  }
  slot* const tail = words_->tail.load(std::memory_order_relaxed);
  slot* head = head_.load(std::memory_order_relaxed);
  frame* handed = nullptr;
  while (handed == nullptr && head < tail) {
    slot* const position = head;
    bool stays = false;
    if (loop_frame* const loop = loop_in(*position); loop == nullptr) {
      handed = &fork_in(*position);
    } else if (const loop_frame::rest left = loop->look(); !left.none()) {
      // Not worth a steal, as far as is known: should it last, a barrier will get at it.
      put_off_ = !insisted_ && !loop->worth_cutting(left);
      if (put_off_) break;
      loop_piece* const half = loop->cut(left, left.middle());
      if (half == nullptr) break;
      loop->parted_with(*half);
      handed = half;
      stays = left.start < left.middle();
    }
    if (handed != nullptr) depart(*handed, position);
    if (stays) break;
    ++head;
  }
  head_.store(head, std::memory_order_relaxed);
  if (handed != nullptr) {
    answered();
    count_promotion();
  }
  return handed;
}

void deque::answered() noexcept {
  frame_wanted_ = false;
  put_off_ = false;
  insisted_ = false;
  asked_ns_ = 0;
}

void deque::handed_on() noexcept {
  const std::lock_guard guard(lock_);
  if (!frame_wanted_) mute_.store(false, std::memory_order_relaxed);
}

void deque::searchers_served() noexcept {
  const std::lock_guard guard(lock_);
  if (frame_wanted_ && asked_ns_ == 0) answered();
  if (!frame_wanted_) mute_.store(false, std::memory_order_relaxed);
  set_gates();
}

void deque::ask(bool for_next_push_only) noexcept {
  frame_wanted_ = true;
  put_off_ = false;
  asked_ns_ = for_next_push_only ? 0 : now_ns();
  mute_.store(true, std::memory_order_relaxed);
  set_gates();
}

void deque::append(frame& f) noexcept {
  f.away().holder.store(this, std::memory_order_relaxed);
  (strict_ ? withheld_ : listed_).append(f);
}

region_state* deque::region_of(const slot* position) const noexcept {
  const scope* s = innermost_;
  while (s->outer != nullptr && position < s->first) s = s->outer;
  return s->region;
}

// The owner is frozen: from the barrier until the lock is free, its next push, pop or claim waits in the slow path.
frame* deque::claim_frozen() noexcept {
  shut_gates();
  const std::uint64_t begin = now_ns();
  perturb();
  // ORD[D2] [D15] The owner lowers tail and then reads head_gate, or raises a loop's start and then reads limit, with no
  // fence between. After the barrier, either its store is visible here, or it has not read the gate yet and will see it
  // shut. Models: models/deque.pml, models/loop.pml.
  paid_.settle(paid_.now());
  asking_.barrier_took(now_ns() - begin);
  perturb();
  slot* const tail = tail_for_thieves();
  slot* head = head_.load(std::memory_order_relaxed);
  const bool at_work = head < tail;
  frame* claimed = nullptr;
  while (claimed == nullptr && head < tail) {
    slot* const position = head;
    bool stays = false;
    if (loop_frame* const loop = loop_in(*position); loop == nullptr) {
      claimed = &fork_in(*position);
    } else if (const loop_frame::rest left = loop->look(); !left.none()) {
      claimed = loop->cut(left, left.middle());
      if (claimed == nullptr) break;
      // It stays for others, unless that was all of it.
      stays = left.start < left.middle();
    }
    if (claimed != nullptr) depart(*claimed, position);
    if (stays) break;
    ++head;
  }
  head_.store(head, std::memory_order_relaxed);
  if (claimed != nullptr) {
    count_promotion();
  } else if (at_work) {
    insist();
  }
  set_gates();
  return claimed;
}

// All there is are chunks under way: who runs them is to look up from that, and hand over half of what is left.
void deque::insist() noexcept {
  ask(false);
  insisted_ = true;
}

frame* deque::claim_fenced() noexcept {
  worker_words& words = *words_;
  for (bool at_work = false;; at_work = true) {
    slot* const head = head_.load(std::memory_order_relaxed);
    slot* const next = head + 1;
    // ORD[D2] seq_cst: before the load of tail below; see pop(). Model: models/deque.pml.
    head_.store(next, std::memory_order_seq_cst);
    perturb();
    // ORD[D2] seq_cst: after the store of head. ORD[D1] acquire: the frame and all that its branch reads; pairs with
    // publish_tail(). Model: models/deque.pml.
    if (words.tail.load(std::memory_order_seq_cst) < next || tail_for_thieves() < next) {
      head_.store(head, std::memory_order_relaxed);
      if (at_work) insist();
      return nullptr;
    }
    loop_frame* const loop = loop_in(*head);
    if (loop == nullptr) {
      frame& f = fork_in(*head);
      depart(f, head);
      count_promotion();
      return &f;
    }
    // The owner cannot retire it: that pop would wait for the lock.
    const loop_frame::rest left = loop->look();
    if (left.none()) continue;
    loop_piece* const half = loop->cut_fenced(left, left.middle());
    if (half != nullptr) {
      half->depart(region_of(head), strand());
      count_promotion();
    }
    // ORD[D16] release: this thread has done with the loop; pairs with the load of head in pop().
    if (half == nullptr || left.start < left.middle()) head_.store(head, std::memory_order_release);
    return half;
  }
}

void deque::readmit(loop_frame& newest) noexcept {
  const std::lock_guard guard(lock_);
  slot* const tail = words_->tail.load(std::memory_order_relaxed);
  if (newest.look().none() || tail > head_.load(std::memory_order_relaxed)) return;
  // All older frames have left, too.
  begin_anew();
  base_->store(reinterpret_cast<std::uintptr_t>(&newest) | loop_frame::tag, std::memory_order_relaxed);
  // Thieves read it under the lock.
  words_->tail.store(base_ + 1, std::memory_order_relaxed);
  words_->tail_seen.store(base_ + 1, std::memory_order_relaxed);
}

position deque::claim(loop_frame& loop, position from, position to) noexcept {
  const std::lock_guard guard(lock_);
  return std::max(from, std::min(to, loop.end()));
}

frame* deque::oldest_listed(const wanted& what) const noexcept {
  frame* f = listed_.oldest();
  if (what.within == nullptr && what.colors == all_colors) return f;
  for (unsigned looked_at = 0; f != nullptr; f = frame_list::after(*f)) {
    const departure& away = f->away();
    // A strand that its thread has left for good is in no hurry to end, but may have nobody else.
    if (what.suits(away.colors) && (what.admits(away.region) || (away.is_strand && deserted_))) return f;
    if (what.within != nullptr && ++looked_at == listed_in_view) return nullptr;
  }
  return nullptr;
}

frame* deque::take_oldest_listed(const wanted& what) noexcept {
  frame* const taken = oldest_listed(what);
  if (taken == nullptr) return nullptr;
  listed_.unlink(*taken);
  taken->away().holder.store(nullptr, std::memory_order_relaxed);
  return taken;
}

void deque::expect_thief() noexcept {
  if (fenced_) return;
  const std::lock_guard guard(lock_);
  if (!frame_wanted_ && !strict_ && !between_beats()) ask(true);
}

frame* deque::take_listed(const wanted& what) noexcept {
  if (!listed_.any()) return nullptr;
  const std::lock_guard guard(lock_);
  return take_oldest_listed(what);
}

frame* deque::steal(bool insist, const wanted& what) noexcept {
  const bool latent_to_be_had = (insist || !mute_.load(std::memory_order_relaxed)) && !between_beats();
  if (!latent_to_be_had && !insist && !listed_.any()) return nullptr;
  if (!lock_.try_lock()) return nullptr;
  const std::lock_guard guard(lock_, std::adopt_lock);
  // Promoted frames are older than those in the deque.
  if (frame* const listed = take_oldest_listed(what)) return listed;
  if (frame* const donated = insist ? open_donation(what) : nullptr) {
    donated_.unlink(*donated);
    return donated;
  }
  // Another thief may have been here since.
  if (words_ == nullptr || strict_ || between_beats()) return nullptr;
  // What is in a deque belongs to one strand. Nor is that asked for what the thief could not take.
  if (what.within != nullptr && (innermost_ == nullptr || !what.admits(innermost_->region))) return nullptr;
  const bool empty = words_->tail.load(std::memory_order_relaxed) <= head_.load(std::memory_order_relaxed);
  if (!empty && !what.suits(colors_at(head_.load(std::memory_order_relaxed)))) return nullptr;
  if (fenced_) return empty ? nullptr : claim_fenced();
  if (!frame_wanted_ || (asked_ns_ == 0 && !empty)) {
    // What it was asked for is on its way to somebody, who is not to ask for more meanwhile.
    if (!frame_wanted_ && mute_.load(std::memory_order_relaxed)) return nullptr;
    ask(empty);
    return nullptr;
  }
  if (empty || insisted_ || !asking_.silent(now_ns() - asked_ns_)) return nullptr;
  answered();
  mute_.store(false, std::memory_order_relaxed);
  return claim_frozen();
}

bool deque::has_work(const wanted& what) noexcept {
  const std::lock_guard guard(lock_);
  if (oldest_listed(what) != nullptr || open_donation(what) != nullptr) return true;
  if (what.within != nullptr && (innermost_ == nullptr || !what.admits(innermost_->region))) return false;
  return words_ != nullptr &&
         words_->tail.load(std::memory_order_relaxed) > head_.load(std::memory_order_relaxed);
}

deque::bounds deque::filled() const noexcept {
  if (words_ == nullptr) return {0, 0};
  const auto at = [this](const slot* s) { return static_cast<std::size_t>(s - base_); };
  const slot* const head = head_.load(std::memory_order_relaxed);
  return {at(head), at(std::max<const slot*>(head, words_->tail.load(std::memory_order_relaxed)))};
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
    if (words_ != nullptr) {
      words_->limit_beneath.store(shut_limit, std::memory_order_relaxed);
      words_->limit.store(shut_limit, std::memory_order_relaxed);
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
  if (words_ == nullptr) return {};
  words_->limit_beneath.store(shut_limit, std::memory_order_relaxed);
  words_->limit.store(shut_limit, std::memory_order_relaxed);
  return {.signs = signs_,
          .epoch = epoch(),
          .tail = words_->tail.load(std::memory_order_relaxed),
          .strand = strand()};
}

deque::holding deque::look() noexcept {
  const std::lock_guard guard(lock_);
  holding result;
  if (words_ != nullptr) {
    const slot* const head = head_.load(std::memory_order_relaxed);
    const slot* const tail = words_->tail.load(std::memory_order_relaxed);
    if (tail > head) result.latent = static_cast<std::size_t>(tail - head);
  }
  for (const frame_list* list : {&listed_, &withheld_, &donated_}) {
    for (frame* f = list->oldest(); f != nullptr; f = frame_list::after(*f)) {
      if (result.listed++ == 0) result.oldest_listed = f->away().opener;
    }
  }
  result.strand = strand();
  return result;
}

bool deque::reclaim(frame& f) noexcept {
  if (mailbox* const box = f.away().box; box != nullptr && box->withdraw(f)) return true;
  deque* const holder = f.away().holder.load(std::memory_order_relaxed);
  if (holder == nullptr) return false;
  const std::lock_guard guard(holder->lock_);
  // Claimed meanwhile; and maybe listed again, by the claimer.
  if (f.away().holder.load(std::memory_order_relaxed) != holder) return false;
  f.away().list->unlink(f);
  f.away().holder.store(nullptr, std::memory_order_relaxed);
  return true;
}

}  // namespace sennit::detail
