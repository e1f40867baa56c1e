#include "graph/task_run.hpp"

#include "system/failure.hpp"

#include <sennit/detail/graph/node.hpp>

#include <atomic>
#include <stdexcept>
#include <utility>

namespace sennit::detail {

void task_run::run() {
  order_.restore();
  queue first;
  for (const task_number n : order_.sources()) {
    const task_traits* const t = all_.find_traits(n);
    if (t != nullptr && t->chosen) continue;
    underway_[n] = 1;
    first.add(n);
  }
  if (first.empty() && all_.size() > 0) {
    fail<std::logic_error>("sennit: no task of a task_graph can begin: each comes after another one, as " +
                           all_.text_of(0) + " does, or may be chosen; add a task before them that does not");
  }
  pool_.run(*this, std::move(first));
  if (pool_.stopped()) pool_.throw_failure();
}

void task_run::refuse_if_underway(task_number n) {
  if (std::atomic_ref(underway_[n]).exchange(1, std::memory_order_relaxed) == 0) return;
  fail<std::logic_error>(
      "sennit: the task " + all_.text_of(n) +
      " of a task_graph is to begin a second time while it has not ended: two choices lead "
      "to it at once, or a choice and an edge; let one task choose it");
}

task_number task_run::step(task_number n, queue& todo, chosen_successors& chosen) {
  // A choice may let the task begin again as soon as it has ended.
  std::atomic_ref(order_.waiting(n)).store(order_.predecessors(n), std::memory_order_relaxed);
  const task_traits* const t = all_.find_traits(n);
  const bool chooses = t != nullptr && t->chooses;
  chosen.clear();
  all_.call(n, chooses ? &chosen : nullptr);
  std::atomic_ref(underway_[n]).store(0, std::memory_order_relaxed);
  task_number next = nobody;
  const auto go_on = [&](task_number after) {
    refuse_if_underway(after);
    if (next == nobody) {
      next = after;
    } else {
      todo.add(after);
    }
  };
  if (chooses) {
    for (const std::size_t position : chosen.positions()) {
      if (position < t->choices.size()) go_on(t->choices[position]);
    }
  } else {
    for (const task_number after : order_.successors(n)) {
      if (count_down(order_.waiting(after), 1)) go_on(after);
    }
  }
  return next;
}

}  // namespace sennit::detail
