// SPDX-License-Identifier: Apache-2.0
#include "graph/limited_tasks.hpp"

#include "fork/views.hpp"
#include "graph/strand_permit.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/detail/graph/node.hpp>

#include <utility>

namespace sennit::detail {

// Where a task goes on that was admitted by a strand of another run.
class limited_tasks::branch : public frame_with_state {
 public:
  branch(limited_tasks& all, task_number n) noexcept
      : frame_with_state(&run_elsewhere), all_(all), number_(n) {}

 private:
  static fiber* run_elsewhere(frame& base) noexcept {
    const std::unique_ptr<branch> self(&static_cast<branch&>(base));
    limited_tasks& all = self->all_;
    all.go_on(self->number_);
    return all.ended(base);
  }
  limited_tasks& all_;
  const task_number number_;
};

fiber* limited_tasks::told_branch::run_elsewhere(frame& base) noexcept {
  return static_cast<told_branch&>(base).all_.ended(base);
}

limited_tasks::waiting_task::waiting_task(limited_tasks& all, task_number n, const task_traits& t) noexcept
    : limit_waiter(&all), number(n), traits(t), all_(all) {}
limited_tasks::waiting_task::~waiting_task() = default;

void limited_tasks::waiting_task::admitted() noexcept {
  branch& begun = *later.release();
  begun.mark_stolen(all_.region_);
  worker& seat = all_.seat_;
  seat.frames().listed().add(begun);
  seat.announce_work();
}

limited_tasks::limited_tasks(const tasks_of_graph& all)
    : seat_(*worker::current()), region_(worker::current()->running().innermost->region) {
  if (all.limited_count() == 0) return;
  std::vector<task_number> numbers(all.limited_count());
  for (task_number n = 0; n < all.size(); ++n) {
    const task_traits* const t = all.find_traits(n);
    if (t != nullptr && count_of(*t) > 0) numbers[t->limited] = n;
  }
  for (const task_number n : numbers) tasks_.emplace_back(*this, n, *all.find_traits(n));
  listen(*region_);
}

limited_tasks::~limited_tasks() {
  stop_listening();
  // The run ended early.
  if (was_told_ && !is_awaited_) await_all();
}

void limited_tasks::told() noexcept {
  if (was_told_) return;
  std::intptr_t open = open_.load(std::memory_order_relaxed);
  while (open != 0 && !open_.compare_exchange_weak(open, open + 1, std::memory_order_relaxed)) {
  }
  if (open == 0) return;  // the run is over
  was_told_ = true;
  stop();
  told_.mark_stolen(region_);
  worker& seat = seat_;
  seat.frames().listed().add(told_);
  seat.announce_work();
}

// A graph within others is entered last. So whoever waits for it can have any other limit, and whoever has it
// waits only for limits of its own tasks.
std::size_t limited_tasks::count_of(const task_traits& t) noexcept {
  return t.limits.size() + (t.inner != nullptr ? 1 : 0);
}
limit& limited_tasks::at(const task_traits& t, std::size_t i) noexcept {
  return i < t.limits.size() ? *t.limits[i] : t.inner->one_at_a_time();
}

bool limited_tasks::enter(const task_traits& t) {
  waiting_task& task = tasks_[t.limited];
  if (task.waits.load(std::memory_order_relaxed) != nullptr) {
    task.waits.store(nullptr, std::memory_order_relaxed);
    ++task.permits;
  }
  while (task.permits < count_of(t)) {
    limit& next = at(t, task.permits);
    // As limited_work does: a record has the branches of the program only.
    if (current_tls().cursor != nullptr) [[unlikely]] {
      enter_in_strand(next);
      ++task.permits;
      continue;
    }
    if (task.later == nullptr) task.later = std::make_unique<branch>(*this, task.number);
    // Before anybody can admit the task.
    task.waits.store(&next, std::memory_order_relaxed);
    open_.fetch_add(1, std::memory_order_relaxed);
    if (!next.enter(task)) {
      // Either this strand sees that the run was stopped, or stop() comes later and finds the task.
      if (stopped()) withdraw(task, next);
      return false;
    }
    open_.fetch_sub(1, std::memory_order_relaxed);
    task.waits.store(nullptr, std::memory_order_relaxed);
    ++task.permits;
  }
  return true;
}

task_number limited_tasks::leave(const task_traits& t) noexcept {
  waiting_task& task = tasks_[t.limited];
  task_number next = nobody;
  while (task.permits > 0) {
    // One at most can go on here.
    limit_waiter* const w = at(t, --task.permits).leave(next == nobody ? this : nullptr);
    if (w == nullptr) continue;
    next = static_cast<waiting_task*>(w)->number;
    // The calling strand is counted.
    open_.fetch_sub(1, std::memory_order_relaxed);
  }
  return next;
}

void limited_tasks::drop(const task_traits& t) noexcept {
  waiting_task& task = tasks_[t.limited];
  if (task.waits.load(std::memory_order_relaxed) != nullptr) {
    task.waits.store(nullptr, std::memory_order_relaxed);
    ++task.permits;
  }
  while (task.permits > 0) (void)at(t, --task.permits).leave();
}

void limited_tasks::withdraw(waiting_task& t, limit& from) noexcept {
  if (!from.withdraw(t)) return;
  t.waits.store(nullptr, std::memory_order_relaxed);
  drop(t.traits);
  // The calling strand is counted.
  open_.fetch_sub(1, std::memory_order_relaxed);
}

void limited_tasks::stop() noexcept {
  if (stopped_.exchange(true, std::memory_order_relaxed)) return;
  for (waiting_task& t : tasks_) {
    if (limit* const from = t.waits.load(std::memory_order_relaxed)) withdraw(t, *from);
  }
}

fiber* limited_tasks::ended(frame& b) noexcept {
  leave_branch(b);
  if (view* const added = b.stolen().views; added != nullptr) {
    const std::lock_guard guard(merging_);
    views_ = chain_views(views_, added);
  }
  // ORD[D23] acq_rel: release publishes what the branch did to await_all(), by way of those that end after it;
  // acquire passes on what those did that ended before. Pairs with itself and with await_all().
  return open_.fetch_sub(1, std::memory_order_acq_rel) == 1 ? done_.finish() : nullptr;
}

void limited_tasks::await_all() noexcept {
  if (tasks_.empty()) return;
  is_awaited_ = true;
  // ORD[D23] acquire: what all branches did; pairs with the release in ended(). If some are still at work, the
  // last of them says so through done_. No branch needs what this strand did.
  if (open_.fetch_sub(1, std::memory_order_acquire) != 1) worker::wait(done_, 1);
  append_views(std::exchange(views_, nullptr));
}

}  // namespace sennit::detail
