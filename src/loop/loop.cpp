// SPDX-License-Identifier: Apache-2.0
// The slow paths of loops.
#include "fork/answer.hpp"
#include "fork/views.hpp"
#include "loop/loop_costs.hpp"
#include "observe/trace_cursor.hpp"
#include "policy/deal.hpp"
#include "policy/patience.hpp"
#include "policy/random.hpp"
#include "process/contract.hpp"
#include "stack/strand_state.hpp"
#include "system/relax.hpp"
#include "worker/runtime_core.hpp"
#include "worker/unobserved_part.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/assert.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/cost.hpp>
#include <sennit/detail/loop/frame.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/detail/loop/observed.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <optional>
#include <utility>

namespace sennit::detail {

loop_piece::loop_piece(loop_state& whole, position first, position last) noexcept
    : frame_with_state(&run_elsewhere), whole_(whole), first_(first), last_(last) {
  where() = {.position = 0, .plan = nullptr, .within = true};
  SENNIT_ASSERT(first < last);
}

void* loop_piece::operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return worker::current()->at_hand().take(bytes);
}

// Before the piece is the address of its block.
void* loop_piece::operator new(std::size_t bytes, std::align_val_t alignment,
                               const std::nothrow_t&) noexcept {
  const auto boundary = static_cast<std::size_t>(alignment);
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= sizeof(void*));
  SENNIT_ASSERT(boundary > __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  void* const block = worker::current()->at_hand().take(bytes + boundary);
  if (block == nullptr) return nullptr;
  const std::size_t above = boundary - reinterpret_cast<std::uintptr_t>(block) % boundary;
  void** const piece = reinterpret_cast<void**>(static_cast<std::byte*>(block) + above);
  piece[-1] = block;
  return piece;
}

fiber* loop_piece::run_elsewhere(frame& base) noexcept {
  auto& self = static_cast<loop_piece&>(base);
  loop_state& whole = self.whole_;
  if (whole.can_throw() && self.stolen().region->stopped()) {
    whole.dropped();
  } else {
    whole.work_on(self);
  }
  leave_branch(self);
  return whole.done().finish();
}

loop_state::loop_state(const entries& of, bool can_throw) noexcept : divided_work(of), can_throw_(can_throw) {
  // A loop's strand is always some worker's; a loop that only lies in a deque, as in tests of deques, has none.
  if (worker* const here = worker::current()) ++here->running().loops;
}

loop_state::~loop_state() {
  if (worker* const here = worker::current()) --here->running().loops;
  for (loop_piece* p = pieces(); p != nullptr;) delete std::exchange(p, p->next_);
}

loop_piece* loop_state::cut(position first, position last) noexcept {
  loop_piece* const piece = own_entries().make(*this, first, last);
  if (piece == nullptr) return nullptr;
  SENNIT_ASSERT(!done_.done(0));  // the strand that cuts still has a finish to make
  done_.expect();
  piece->next_ = pieces_.load(std::memory_order_relaxed);
  // Read once nobody works on the loop: the completion orders that.
  while (!pieces_.compare_exchange_weak(piece->next_, piece, std::memory_order_relaxed)) {
  }
  return piece;
}

namespace {

// Where there is older work, that goes first. Between heartbeats nothing is dealt out.
bool may_deal(worker* w) noexcept {
  return w != nullptr && w->frames().empty() && w->frames().promotions().on_demand();
}

}  // namespace

position loop_state::deal(position first, position last, position least, position lead,
                          loop_piece*& split_off) noexcept {
  worker* const w = worker::current();
  if (!may_deal(w)) return last;
  worker* idle[runtime_options::most_workers];
  const unsigned found = w->find_idle(idle, std::size(idle));
  if (found == 0) return last;
  const policy::deal parts(first, last, found + 1, least, lead);
  // From the last part on, as the pieces that a strand has split off are in this order.
  for (position i = parts.parts() - 1; i > 0; --i)
    if (!hand(*w, *idle[i - 1], parts.begin_of(i), last, split_off)) break;
  if (any_gate_shut()) w->frames().searchers_served();
  return last;
}

position loop_state::deal(position first, position last, position least, const partition_view& by,
                          loop_piece*& split_off) noexcept {
  worker* const w = worker::current();
  if (!may_deal(w)) return last;
  worker* idle[runtime_options::most_workers];
  const runtime_core& core = w->core();
  const unsigned roles = core.numbered_workers();
  const position n = last;
  for (unsigned i = w->find_idle(idle, std::size(idle)); i > 0; --i) {
    const unsigned role = (core.number_of(*idle[i - 1]) + roles - core.number_of(*w) % roles) % roles;
    // The strand has something to begin with; what is too little for anybody to come for goes with the part
    // before.
    const position begin = std::max(by.begin_of(role, n), first + 1);
    if (role == 0 || begin >= last || last - begin < least) continue;
    if (!hand(*w, *idle[i - 1], begin, last, split_off)) break;
  }
  if (any_gate_shut()) w->frames().searchers_served();
  return last;
}

bool loop_state::hand(worker& from, worker& to, position begin, position& last,
                      loop_piece*& split_off) noexcept {
  from.at_hand().fill();
  loop_piece* piece = cut(begin, last);
  if (piece == nullptr) {
    // Pieces of this loop may be larger than all before.
    from.at_hand().fill();
    piece = cut(begin, last);
  }
  if (piece == nullptr) return false;
  last = begin;
  piece->mark_stolen(from.frames().innermost()->region, from.frames().innermost()->strand);
  piece->stolen().dealt = true;
  piece->part(split_off);
  from.frames().promotions().dealt();
  if (!to.post(*piece)) {
    from.frames().listed().add(*piece);
    from.announce_work();
  }
  return true;
}

void loop_state::failed(position end, std::exception_ptr failure) noexcept {
  // ORD[D18] acquire and release: a lock, for the exception and its position.
  while (recording_.exchange(true, std::memory_order_acquire)) relax();
  if (end < failed_at_.load(std::memory_order_relaxed)) {
    failed_at_.store(end, std::memory_order_relaxed);
    std::swap(failure_, failure);
  }
  // ORD[D18] release: see above.
  recording_.store(false, std::memory_order_release);
}

// A merge sort: a list that many have made may be long.
loop_piece* loop_state::in_order(loop_piece* list) noexcept {
  if (list == nullptr || list->next_ == nullptr) return list;
  loop_piece* halves[2] = {nullptr, nullptr};
  for (bool side = false; list != nullptr; side = !side) {
    loop_piece* const p = std::exchange(list, list->next_);
    p->next_ = std::exchange(halves[side ? 1 : 0], p);
  }
  loop_piece* left = in_order(halves[0]);
  loop_piece* right = in_order(halves[1]);
  loop_piece** end = &list;
  while (left != nullptr && right != nullptr) {
    loop_piece*& lower = left->first_ < right->first_ ? left : right;
    *end = lower;
    end = &lower->next_;
    lower = lower->next_;
  }
  *end = left != nullptr ? left : right;
  return list;
}

bool loop_state::over_soon() const noexcept {
  for (unsigned rounds = 0; rounds < policy::patience::rounds_before_asking_back; ++rounds) {
    if (done_.done(-1)) return true;
    relax();
  }
  return false;
}

void loop_state::wait() noexcept {
  worker::wait(done_, -1);
  pieces_.store(in_order(pieces()), std::memory_order_relaxed);
  for (loop_piece* p = pieces(); p != nullptr; p = p->next_) {
    SENNIT_ASSERT(p->next_ == nullptr || p->first_ <= p->next_->first_);
    append_views(p->stolen().views);
  }
}

separate_views::separate_views(loop_piece& piece) noexcept : piece_(piece), before_(exchange_views(nullptr)) {
  // What the piece spawns in a group from outside is not pushed: its rank among the group's children is that
  // of the views.
  worker::current()->frames().forget_positions();
}
separate_views::~separate_views() { piece_.stolen().views = exchange_views(before_); }

void loop_state::throw_failure() {
#if SENNIT_EXCEPTIONS
  if (failure_) std::rethrow_exception(std::move(failure_));
#endif
  throw_cancelled();
}

bool in_observed_region() noexcept { return current_tls().cursor != nullptr; }
bool hears_of_loop(position iterations, const loop_cost& cost, bool measured,
                   const void* returns_to) noexcept {
  if (current_tls().cursor != nullptr) return true;
  worker* const here = worker::current();
  if (here == nullptr || here->running().unobserved == nullptr) [[likely]]
    return false;
  constexpr ticks brief = 40 * loop_cost::brief;  // such a loop is not told in a trace
  std::optional<bool> known_long;
  if (measured && cost.known())
    known_long = cost.iteration() != 0 ? iterations > brief / cost.iteration() : iterations > brief;
  return unobserved_part::hears_of_loop(reinterpret_cast<std::uintptr_t>(returns_to) - 1, known_long);
}
bool in_recorded_region() noexcept {
  trace_cursor* const cursor = current_tls().cursor;
  return cursor != nullptr && cursor->by().keeps_positions();
}

// How many parts that are worth while for a thief make one that is worth while to tell.
constexpr position untold_parts = 15;

position unplanned_leaf(position iterations, const observed_parts& parts) noexcept {
  // Enough for who waits, and for a cancellation to be seen: of a short loop, and of one that takes any time.
  constexpr position few = 8;
  constexpr position many = 32;
  const schedule_hooks& by = current_tls().cursor->by();
  if (!by.keeps_positions()) {
    const position enough = std::max<position>(few, position{2} * fixed_parts());
    return std::max(parts.leaf, std::min(parts.worthwhile * untold_parts, iterations / enough + parts.leaf));
  }
  if (by.noted() && parts.may_hold_others) return parts.leaf;
  // Parts are cut at whole leaves, so some of so many parts are a leaf larger than the others.
  const position short_enough = std::min(parts.worthwhile, iterations / few + parts.leaf);
  return std::max({parts.leaf, short_enough, by.strict() ? iterations / many : 0});
}

observed_loop::observed_loop(position iterations, position leaf, position unplanned, position unit,
                             const void* returns_to) noexcept
    : iterations_(iterations),
      leaf_(leaf),
      unplanned_(unplanned),
      unit_(unit),
      site_(reinterpret_cast<std::uintptr_t>(returns_to) - 1) {
  trace_cursor& cursor = *current_tls().cursor;
  cursor.site = site_;
  if (cursor.push(where_) || !cursor.by().keeps_positions())
    (void)cursor.by().reached(cursor, where_, {.what = construct::kind::loop});
}

observed_loop::~observed_loop() {
  unobserved_part::end_stretch();
  trace_cursor& cursor = *current_tls().cursor;
  if (!cursor.pop()) return;
  cursor.site = site_;
  cursor.by().kept(cursor, where_, iterations_);
  unobserved_part::begin_between(cursor);
}

position observed_loop::planned_cut(bool& planned) const noexcept {
  trace_cursor& cursor = *current_tls().cursor;
  planned = cursor.by().keeps_positions() && cursor.level().awaited != nowhere;
  const position cut = planned ? cursor.by().planned_cut(cursor, iterations_) : 0;
  return unit_ == 1 ? cut : (cut / unit_ + (cut % unit_ > unit_ / 2 ? 1 : 0)) * unit_;
}

observed_leaf_run::observed_leaf_run(position first, position last) noexcept {
  trace_cursor& cursor = *current_tls().cursor;
  cursor.by().leaf_begins(cursor, first, last);
  unobserved_part::begin_between(cursor);
}

observed_leaf_run::~observed_leaf_run() {
  unobserved_part::end_stretch();
  trace_cursor& cursor = *current_tls().cursor;
  cursor.by().leaf_ends(cursor);
}

taken_part loop_frame::take_part(divisible& work, parting how) noexcept {
  auto& loop = static_cast<loop_frame&>(work);
  const rest left = loop.look();
  if (left.none()) return {};
  if (how == parting::half_if_worth && !loop.worth_cutting(left)) return {.left = remains::too_little};
  const position middle = how == parting::all ? left.start : left.middle();
  loop_piece* const piece =
      how == parting::half_of_running ? loop.cut_fenced(left, middle) : loop.cut(left, middle);
  if (piece == nullptr) return {.left = remains::something};
  if (is_by_owner(how)) piece->part(loop.split_off_);
  return {.part = piece, .left = left.start < middle ? remains::something : remains::nothing};
}

bool loop_frame::exhausted(const divisible& work) noexcept {
  return static_cast<const loop_frame&>(work).look().none();
}

loop_piece* loop_frame::cut(rest left, position middle) noexcept {
  SENNIT_ASSERT(left.start <= middle && middle < left.end);
  SENNIT_ASSERT(left.end == end());
  loop_piece* const piece = whole().cut(middle, left.end);
  if (piece == nullptr) return nullptr;
  end_.store(middle, std::memory_order_relaxed);
  if (gate_.load(std::memory_order_relaxed) != 0) gate_.store(middle, std::memory_order_relaxed);
  return piece;
}

loop_piece* loop_frame::cut_fenced(rest left, position middle) noexcept {
  SENNIT_ASSERT(left.start <= middle && middle < left.end);
  SENNIT_ASSERT(left.end == end());
  // ORD[D17] seq_cst: the store of end before the load of start; pairs with meet(). Model: models/loop.pml.
  end_.store(middle, std::memory_order_seq_cst);
  const bool first = start_.load(std::memory_order_seq_cst) <= middle;
  loop_piece* const piece = first ? whole().cut(middle, left.end) : nullptr;
  if (piece == nullptr) end_.store(left.end, std::memory_order_relaxed);
  return piece;
}

bool loop_frame::expose_shut() noexcept {
  worker& w = *worker::current();
  if (!answer_gates(w)) {
    store_tail(load_tail() - 1);
    // A thief may have been here. Either it has cut the loop and left the frame in the deque, or it has taken all
    // that was left and the frame is gone.
    (void)take_newest(w);
    exposed_ = false;
    return false;
  }
  return true;
}

void loop_frame::retire_shut() noexcept { (void)take_newest(*worker::current()); }

position loop_frame::meet(position from, position to) noexcept {
  served_ = true;
  worker* const w = worker::current();
  if (w->core().barrier() == steal_barrier::fence && w->frames().undisturbed()) {
    // ORD[D17] seq_cst: the store of start before the load of end, as a thief stores end before it loads
    // start: the owner's fence, where there is no membarrier. Model: models/loop.pml.
    start_.exchange(to, std::memory_order_seq_cst);
    if (to <= end_.load(std::memory_order_seq_cst)) return to;
  }
  // Somebody wants something: others can have all but the next iteration, also of a chunk that was cut short.
  if (any_gate_shut()) {
    to = from + 1;
    start_.store(to, std::memory_order_relaxed);
    if (exposed_) w->frames().readmit(*this);
  }
  // Through the lock: a thief that read start before has made its cut, and others cut above the claim.
  (void)answer_gates(*w, false);
  worker& here = *worker::current();
  stopped_ = whole().can_throw() && detail::stopped(here);
  const position until = stopped_ ? from : std::max(from, std::min(to, end()));
  start_.store(until, std::memory_order_relaxed);
  return until;
}

void loop_frame::abandon() noexcept {
  // All that is left, and more: nobody finds anything to cut any more. A thief that has not seen this yet
  // cuts off iterations, and drops them itself.
  constexpr position beyond = position{1} << 62;
  start_.store(beyond, std::memory_order_relaxed);
}

loop_piece* loop_frame::take_split_off(loop_piece*& split_off) noexcept {
  while (split_off != nullptr) {
    loop_piece& piece = *std::exchange(split_off, split_off->split_off_before_);
    if (listed_frames::reclaim(piece)) return &piece;
  }
  return nullptr;
}

loop_cost& cost_of_loop(const void* site, std::uintptr_t code) noexcept {
  static constinit loop_costs costs;
  return costs.of(loop_costs::key_of(reinterpret_cast<std::uintptr_t>(site), code));
}

bool take_time_of_loop() noexcept {
  constexpr unsigned one_in = 16;
  return policy::next_random(current_tls().random) % one_in == 0;
}

position fixed_parts() noexcept {
  if (worker* const w = worker::current()) return w->core().workers();
  return runtime::default_runtime().workers();
}

}  // namespace sennit::detail
