// SPDX-License-Identifier: Apache-2.0
#include "fork/answer.hpp"
#include "graph/strand_permit.hpp"
#include "region/cancel_listener.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/graph/limited_work.hpp>
#include <sennit/limit.hpp>

#include <algorithm>
#include <utility>

namespace sennit::detail {

void item_limits::set(std::span<limit* const> given) {
  all_.assign(given.begin(), given.end());
  entered_ = 0;
  std::erase(all_, nullptr);
  std::ranges::sort(all_, {}, &limit::order);
  all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
}

// It lies in the list of the limit that it has not entered, and in that of its work. Once admitted, it is the branch in which
// it goes on.
class limited_work::waiting_item final : public frame_with_state, public limit_waiter {
 public:
  waiting_item(limited_work& of, std::uint64_t which, const item_limits& l)
      : frame_with_state(&run_elsewhere),
        limit_waiter(&of),
        work(of),
        item(which),
        limits(l),
        region(worker::current()->running().innermost->region),
        seat(*worker::current()) {}
  ~waiting_item() = default;

  limit& awaited() const noexcept { return *limits.all_[limits.entered_]; }

  limited_work& work;
  const std::uint64_t item;
  item_limits limits;
  region_state* const region;
  waiting_item* next = nullptr;
  waiting_item* previous = nullptr;
  bool is_branch = false;

 private:
  void admitted() noexcept override {
    is_branch = true;
    mark_stolen(region);
    worker& at = seat;
    at.frames().listed().add(*this);
    at.announce_work();
  }
  static fiber* run_elsewhere(frame& base) noexcept {
    const std::unique_ptr<waiting_item> self(&static_cast<waiting_item&>(base));
    limited_work& all = self->work;
    all.go_on(*self);
    return all.end_branch(base);
  }
  worker& seat;  // of the runtime
};

// Tells of the cancelled region, where maybe all strands of the work wait. The work counts one more meanwhile, and that ends as
// a branch does, so that it can let go on who waits for the work.
class limited_work::cancellation final : public frame_with_state, private cancel_listener {
 public:
  explicit cancellation(limited_work& work) noexcept
      : frame_with_state(&run_elsewhere),
        work_(work),
        seat_(*worker::current()),
        region_(worker::current()->running().innermost->region) {}
  ~cancellation() { stop_listening(); }
  void begin() { listen(*region_); }

 private:
  void told() noexcept override {
    if (was_told_ || !work_.join()) return;
    was_told_ = true;
    work_.end_early();
    work_.stop();
    mark_stolen(region_);
    worker& seat = seat_;
    seat.frames().listed().add(*this);
    seat.announce_work();
  }
  static fiber* run_elsewhere(frame& base) noexcept {
    return static_cast<cancellation&>(base).work_.end_branch(base);
  }

  limited_work& work_;
  worker& seat_;  // of the runtime
  region_state* const region_;
  bool was_told_ = false;  // written while told() is called
};

limited_work::limited_work() noexcept = default;
limited_work::~limited_work() = default;
void limited_work::end() noexcept { cancelled_.reset(); }

bool limited_work::enter(std::uint64_t item, item_limits& of) {
  while (of.entered_ < of.all_.size()) {
    limit& next = *of.all_[of.entered_];
    if (next.try_enter()) {
      ++of.entered_;
      continue;
    }
    // A record has the branches of the program, and those in which items go on are none.
    if (current_tls().cursor != nullptr) [[unlikely]] {
      enter_in_strand(next);
      ++of.entered_;
      continue;
    }
#if SENNIT_EXCEPTIONS
    waiting_item* made = nullptr;
    try {
      made = &make_waiting(item, of);
    } catch (...) {
      drop(of);
      throw;
    }
    waiting_item& waiting = *made;
#else
    waiting_item& waiting = make_waiting(item, of);
#endif
    // Before anybody can admit the item.
    begin_to_wait();
    if (!next.enter(waiting)) {
      of.all_.clear();
      of.entered_ = 0;
      // Either this strand sees that the work was stopped, or stop() comes later and finds the item.
      if (stopped_.load(std::memory_order_relaxed)) stop();
      return false;
    }
    end_to_wait();
    remove(waiting);
    delete &waiting;
    ++of.entered_;
  }
  return true;
}

limited_work::waiting_item& limited_work::make_waiting(std::uint64_t item, const item_limits& of) {
  auto made = std::make_unique<waiting_item>(*this, item, of);
  bool is_first = false;
  {
    const std::lock_guard guard(lock_);
    if (cancelled_ == nullptr) {
      cancelled_ = std::make_unique<cancellation>(*this);
      is_first = true;
    }
    made->next = first_;
    if (first_ != nullptr) first_->previous = made.get();
    first_ = made.get();
  }
  // Without the lock, because told() takes it.
  if (is_first) cancelled_->begin();
  return *made.release();
}

void limited_work::remove(waiting_item& w) noexcept {
  const std::lock_guard guard(lock_);
  (w.previous != nullptr ? w.previous->next : first_) = w.next;
  if (w.next != nullptr) w.next->previous = w.previous;
}

limited_work::waiting_item* limited_work::leave(item_limits& of) noexcept {
  waiting_item* next = nullptr;
  while (of.entered_ > 0) {
    // One at most can go on here.
    limit_waiter* const w = of.all_[--of.entered_]->leave(next == nullptr ? this : nullptr);
    if (w != nullptr) next = static_cast<waiting_item*>(w);
  }
  of.all_.clear();
  return next;
}

void limited_work::drop(item_limits& of) noexcept {
  while (of.entered_ > 0) (void)of.all_[--of.entered_]->leave();
  of.all_.clear();
}

std::uint64_t limited_work::take(waiting_item& admitted, item_limits& limits) noexcept {
  remove(admitted);
  limits = std::move(admitted.limits);
  ++limits.entered_;
  const std::uint64_t item = admitted.item;
  if (admitted.is_branch) return item;
  delete &admitted;
  // The calling strand is counted.
  end_to_wait();
  return item;
}

void limited_work::stop() noexcept {
  stopped_.store(true, std::memory_order_relaxed);
  waiting_item* withdrawn = nullptr;
  {
    const std::lock_guard guard(lock_);
    for (waiting_item* w = first_; w != nullptr;) {
      waiting_item& one = *std::exchange(w, w->next);
      if (!one.awaited().withdraw(one)) continue;
      (one.previous != nullptr ? one.previous->next : first_) = one.next;
      if (one.next != nullptr) one.next->previous = one.previous;
      one.next = std::exchange(withdrawn, &one);
    }
  }
  while (withdrawn != nullptr) {
    const std::unique_ptr<waiting_item> one(std::exchange(withdrawn, withdrawn->next));
    drop(one->limits);
    end_to_wait();
  }
}

void limited_in_pool::begin_to_wait() noexcept { pool_.at_work_.fetch_add(1, std::memory_order_relaxed); }
void limited_in_pool::end_to_wait() noexcept { pool_.at_work_.fetch_sub(1, std::memory_order_relaxed); }
bool limited_in_pool::join() noexcept {
  std::intptr_t at_work = pool_.at_work_.load(std::memory_order_relaxed);
  while (at_work != 0 &&
         !pool_.at_work_.compare_exchange_weak(at_work, at_work + 1, std::memory_order_relaxed)) {
  }
  return at_work != 0;
}
void limited_in_pool::end_early() noexcept { pool_.stop(); }
fiber* limited_in_pool::end_branch(frame& branch) noexcept { return pool_.leave(branch); }

}  // namespace sennit::detail
