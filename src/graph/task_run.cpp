#include "graph/task_run.hpp"

#include "system/failure.hpp"

#include <sennit/detail/graph/node_colors.hpp>
#include <sennit/graph_trace.hpp>

#include <atomic>
#include <stdexcept>
#include <utility>

namespace sennit::detail {

task_run_state::task_run_state(tasks_of_graph& all, unsigned colors)
    : all_(all),
      order_(all.order()),
      colors_(colors),
      underway_(all.has_choices() ? all.size() : 0),
      limited_(all) {}

queued_task task_run_state::queued(task_number n) const noexcept {
  const task_traits* const t = all_.find_traits(n);
  if (t == nullptr) return {n, 0, 0};
  return {n, t->priority, t->color ? bit_of_color(*t->color, colors_) : 0};
}

queued_task task_run_state::begin(task_number n) {
  if (!underway_.empty() && std::atomic_ref(underway_[n]).exchange(1, std::memory_order_relaxed) != 0)
    refuse_second_begin(n);
  return queued(n);
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

template <bool Prioritized, bool Colored>
void task_run<Prioritized, Colored>::run(graph::trace* seen) {
  if (seen != nullptr) {
    clear_trace(*seen);
    if constexpr (Colored) tracing_.places = all_.coloring().of;
    tracing_.begin();
  }
  queue first;
  for_each_source([&](queued_task t) { first.add(t); });
  do {
    // Tasks that had to wait for places that other runs have.
    limited_.take_admitted([&](task_number n) { first.add(queued(n)); });
    pool_.emplace(Colored ? all_.coloring().patience : 0);
    pool_->run(*this, std::exchange(first, queue()));
  } while (!pool_->stopped() && limited_.await_admitted());
  if (seen != nullptr) write_trace(*seen, pool_->stopped());
  if (pool_->stopped()) pool_->throw_failure();
}

namespace {

template <bool Prioritized>
void run_colored(tasks_of_graph& all, graph::trace* seen) {
  const graph::coloring& c = all.coloring();
  const unsigned colors = color_count_of_run(c.of);
  const colored_run colored(c.of, c.first_steal_attempts, c.colored_attempts);
  task_run<Prioritized, true>(all, colors).run(seen);
}

}  // namespace

void run_tasks(tasks_of_graph& all, bool prioritized, bool colored, graph::trace* seen) {
  if (colored) {
    prioritized ? run_colored<true>(all, seen) : run_colored<false>(all, seen);
  } else {
    prioritized ? task_run<true, false>(all, 0).run(seen) : task_run<false, false>(all, 0).run(seen);
  }
}

}  // namespace sennit::detail
