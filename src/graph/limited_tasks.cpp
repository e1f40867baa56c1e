#include "graph/limited_tasks.hpp"

#include <utility>

namespace sennit::detail {

limited_tasks::limited_tasks(const tasks_of_graph& all) {
  if (all.limited_count() == 0) return;
  std::vector<task_number> numbers(all.limited_count());
  for (task_number n = 0; n < all.size(); ++n) {
    const task_traits* const t = all.find_traits(n);
    if (t != nullptr && count_of(*t) > 0) numbers[t->limited] = n;
  }
  for (const task_number n : numbers) tasks_.emplace_back(*this, n, *all.find_traits(n));
}

limited_tasks::~limited_tasks() {
  for (waiting_task& t : tasks_) {
    // Whoever left the limit may have given the place to the task before the run ended.
    if (t.waits && !at(t.traits, t.places).withdraw(t)) ++t.places;
    while (t.places > 0) at(t.traits, --t.places).leave();
  }
}

// A graph within others is entered last. So whoever waits for it can have any other limit, and whoever has it
// waits only for limits of its own tasks.
std::size_t limited_tasks::count_of(const task_traits& t) noexcept {
  return t.limits.size() + (t.inner != nullptr ? 1 : 0);
}
limit& limited_tasks::at(const task_traits& t, std::size_t i) noexcept {
  return i < t.limits.size() ? *t.limits[i] : t.inner->one_at_a_time();
}

bool limited_tasks::enter(const task_traits& t) noexcept {
  waiting_task& task = tasks_[t.limited];
  if (std::exchange(task.waits, false)) ++task.places;
  while (task.places < count_of(t)) {
    // Before the task can be told.
    task.waits = true;
    waiting_.fetch_add(1, std::memory_order_relaxed);
    if (!at(t, task.places).enter(task)) return false;
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    task.waits = false;
    ++task.places;
  }
  return true;
}

void limited_tasks::leave(const task_traits& t) noexcept {
  waiting_task& task = tasks_[t.limited];
  while (task.places > 0) at(t, --task.places).leave();
}

void limited_tasks::admit(waiting_task& t) noexcept {
  const std::lock_guard guard(lock_);
  t.next = admitted_;
  admitted_ = &t;
  any_admitted_.store(true, std::memory_order_relaxed);
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  if (sleeper_ != nullptr) std::exchange(sleeper_, nullptr)->go_on();
}

bool limited_tasks::await_admitted() {
  if (tasks_.empty()) return false;
  waiting_strand self;
  {
    const std::lock_guard guard(lock_);
    if (admitted_ != nullptr) return true;
    if (waiting_.load(std::memory_order_relaxed) == 0) return false;
    sleeper_ = &self;
  }
  self.wait();
  return true;
}

}  // namespace sennit::detail
