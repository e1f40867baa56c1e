// SPDX-License-Identifier: Apache-2.0
#include "graph/task_run.hpp"

#include "fork/answer.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/detail/graph/node_colors.hpp>
#include <sennit/graph_trace.hpp>

#include <atomic>
#include <stdexcept>
#include <utility>

namespace sennit::detail {

task_run_state::task_run_state(tasks_of_graph& all, unsigned colors, bool prioritized)
    : limited_tasks(all),
      all_(all),
      order_(all.order()),
      colors_(colors),
      underway_(all.has_choices() ? all.size() : 0) {
  if (prioritized) by_priority_.emplace(std::size_t{colors} + 1);
}

queued_task task_run_state::queued(task_number n) const noexcept {
  const task_traits* const t = all_.find_traits(n);
  return {n, t != nullptr && t->color ? bit_of_color(*t->color, colors_) : 0};
}

queued_task task_run_state::begin(task_number n) {
  if (!underway_.empty() && std::atomic_ref(underway_[n]).exchange(1, std::memory_order_relaxed) != 0)
    refuse_second_begin(n);
  queued_task item = queued(n);
  if (!has_priorities()) return item;
  const task_traits* const t = all_.find_traits(n);
  by_priority_->add(kind_of(item), n, t != nullptr ? t->priority : 0);
  item.number = nobody;
  return item;
}

void task_run_state::refuse_second_begin(task_number n) const {
  fail<std::logic_error>(
      "sennit: the task " + all_.text_of(n) +
      " of a task_graph is to begin a second time while it has not ended: two choices lead "
      "to it at once, or a choice and an edge; let one task choose it");
}

void task_run_state::write_trace(graph::trace& seen, bool failed) {
  const std::uint64_t length = trace_now_ns() - tracing_.begun();
  const auto write = [&] {
    trace_filler filler(seen, tracing_.take(), length);
    if (failed) filler.set_failed();
    if (tracing_.places) filler.set_colors(*tracing_.places, colors_);
    std::vector<std::vector<task_number>> before(filler.wants_predecessors() ? all_.size() : 0);
    for (task_number n = 0; n < before.size(); ++n) {
      for (const task_number after : order_.successors(n)) before[after].push_back(n);
      if (const task_traits* const t = all_.find_traits(n)) {
        for (const task_number after : t->choices) before[after].push_back(n);
      }
    }
    for (std::size_t i = 0; i < filler.size(); ++i) {
      const task_number n = filler.number(i);
      const task_traits* const t = all_.find_traits(n);
      filler.set_key(i, all_.name_of(n));
      if (t != nullptr && t->color && *t->color < colors_) filler.set_colors(i, {*t->color});
      if (!filler.wants_predecessors()) continue;
      for (const task_number p : before[n]) {
        if (p != n) filler.add_predecessor(i, p);
      }
    }
    filler.finish();
  };
#if SENNIT_EXCEPTIONS
  try {
    write();
  } catch (...) {
    clear_trace(seen);
    // The run throws another exception, which a failure of the trace must not hide.
    if (!failed) throw;
  }
#else
  static_cast<void>(failed);
  write();
#endif
}

void task_run_state::describe(task_number n, told_node& node) const {
  const task_traits* const t = all_.find_traits(n);
  node.number = n;
  node.name = all_.name_of(n);
  if (t != nullptr && t->color) node.color = *t->color;
  node.then = order_.successors(n);
}

void task_run_state::fail_with_current() noexcept {
  {
    const std::lock_guard guard(failing_);
    if (failure_ == nullptr) failure_ = std::current_exception();
  }
  stop();
}

void task_run_state::end_with(work_pool_state& pool) noexcept {
#if SENNIT_EXCEPTIONS
  try {
    pool.throw_failure();
  } catch (const sennit::cancelled&) {
    stop();
  } catch (...) {
    fail_with_current();
  }
#else
  stop();
  static_cast<void>(pool);
#endif
}

void task_run_state::throw_failure() {
#if SENNIT_EXCEPTIONS
  if (failure_ != nullptr) std::rethrow_exception(std::move(failure_));
#endif
  throw_cancelled();
}

template <bool Colored>
void task_run<Colored>::run(graph::trace* seen) {
  if (seen != nullptr) {
    clear_trace(*seen);
    if constexpr (Colored) tracing_.places = all_.coloring().of;
    tracing_.begin();
  }
  std::vector<queued_task> first;
  for_each_source([&](queued_task t) { first.push_back(t); });
  part(*this).run(first);
  await_all();
  if (seen != nullptr) write_trace(*seen, stopped());
  if (stopped()) throw_failure();
}

template <bool Colored>
void task_run<Colored>::go_on(task_number n) noexcept {
  if (stopped()) return drop_task(n);
  const auto run = [&] { part(*this, n).run({}); };
#if SENNIT_EXCEPTIONS
  try {
    run();
  } catch (...) {
    fail_with_current();
  }
#else
  run();
#endif
}

void run_tasks(tasks_of_graph& all, bool prioritized, bool colored, graph::trace* seen) {
  if (!colored) return task_run<false>(all, 0, prioritized).run(seen);
  task_run<true>(all, color_count_of_run(all.coloring().of), prioritized).run(seen);
}

}  // namespace sennit::detail
