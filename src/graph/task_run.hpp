// One run of a task_graph whose tasks choose, or have limits, priorities or colors, or whose run is traced.
#pragma once

#include "graph/limited_tasks.hpp"
#include "graph/static_graph_access.hpp"
#include "graph/task_queue.hpp"
#include "graph/tasks_of_graph.hpp"

#include <sennit/detail/graph/color_posts.hpp>
#include <sennit/detail/graph/local_queue.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/tracing.hpp>
#include <sennit/detail/graph/work_pool.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace sennit::detail {

// What all kinds of runs do alike.
class task_run_state {
 public:
  task_run_state(tasks_of_graph& all, unsigned colors);
  task_run_state(const task_run_state&) = delete;
  task_run_state& operator=(const task_run_state&) = delete;

 protected:
  // Prepares the next run: not all tasks may have run.
  ~task_run_state() { order_.restore(); }
  // Calls f with each task that nothing has to come before. Throws std::logic_error if there is none.
  template <class F>
  void for_each_source(F&& f) {
    for (const task_number n : order_.sources()) {
      const task_traits* const t = all_.find_traits(n);
      if (t == nullptr || !t->chosen) f(begin(n));
    }
  }
  // The task can go on. Throws std::logic_error if it is still running.
  queued_task begin(task_number n);
  queued_task queued(task_number n) const noexcept;
  void write_trace(graph::trace& seen, bool failed);

  tasks_of_graph& all_;
  static_graph_access order_;
  const unsigned colors_;               // how many there are
  std::vector<std::uint8_t> underway_;  // in a graph with choices: tasks that can go on, and have not ended
  graph_tracing<true> tracing_;
  limited_tasks limited_;

 private:
  [[noreturn]] void refuse_second_begin(task_number n) const;
};

template <bool Prioritized, bool Colored>
class task_run : public task_run_state {
 public:
  task_run(tasks_of_graph& all, unsigned colors) : task_run_state(all, colors) {}
  // Throws what a task threw, and std::logic_error if no task can begin.
  void run(graph::trace* seen);

  template <class Session>
  void work(Session& own) {
    strand<Session> here{*this, own, {}, {}};
    for (;;) {
      if (pool_->stopped()) return;
      if (limited_.any_admitted()) here.take_admitted();
      if (!own.more()) {
        // A task that was told meanwhile is this strand's, or that of the strand that began the run.
        if (!limited_.any_admitted()) return;
        continue;
      }
      if (!here.go_on(own.todo.take().number)) return;
    }
  }

 private:
  using queue = std::conditional_t<
      Prioritized, priority_queue,
      std::conditional_t<Colored, colored_local_queue<queued_task>, local_queue<queued_task>>>;
  using posts = std::conditional_t<Colored, color_posts<queued_task>, no_posts>;
  using pool = work_pool<task_run, queue, posts>;

  template <class Session>
  struct strand {
    task_run& whole;
    Session& own;
    chosen_successors chosen;
    graph_tracing<true>::notes notes;

    ~strand() { whole.tracing_.leave(notes); }

    void take_admitted() {
      whole.limited_.take_admitted([&](task_number n) { own.todo.add(whole.queued(n)); });
    }
    // Runs the task and what follows from it, as far as that is not in the queue. Returns false if the run has
    // been stopped.
    bool go_on(task_number next) {
      while (next != nobody) {
        next = step(next);
        own.did_one();
        own.consider_others(next != nobody);
        if (whole.pool_->stopped()) [[unlikely]]
          return false;
      }
      return true;
    }

   private:
    task_number step(task_number n) {
      const task_traits* const t = whole.all_.find_traits(n);
      const bool limited = t != nullptr && (!t->limits.empty() || t->inner != nullptr);
      if (limited && !whole.limited_.enter(*t)) return nobody;
      call(n, t != nullptr && t->chooses);
      if (limited) {
        whole.limited_.leave(*t);
        if (whole.limited_.any_admitted()) take_admitted();
      }
      return t != nullptr && t->chooses ? choose(*t) : count_down_successors(n);
    }
    void call(task_number n, bool chooses) {
      // A choice may let the task begin again as soon as it has ended. Nobody counts down a task that runs.
      std::atomic_ref(whole.order_.waiting(n)).store(whole.order_.predecessors(n), std::memory_order_relaxed);
      chosen.clear();
      const auto begun = whole.tracing_.begin_node(notes);
      whole.all_.call(n, chooses ? &chosen : nullptr);
      whole.tracing_.end_node(notes, n, begun);
      if (!whole.underway_.empty()) std::atomic_ref(whole.underway_[n]).store(0, std::memory_order_relaxed);
    }
    task_number choose(const task_traits& t) {
      task_number next = nobody;
      for (const std::size_t position : chosen.positions()) {
        if (position < t.choices.size()) follow(whole.begin(t.choices[position]), next);
      }
      return next;
    }
    task_number count_down_successors(task_number n) {
      task_number next = nobody;
      for (const task_number after : whole.order_.successors(n)) {
        if (count_down(whole.order_.waiting(after), 1)) follow(whole.begin(after), next);
      }
      return next;
    }
    void follow(queued_task task, task_number& next) {
      if constexpr (Colored) {
        if (own.post(task)) return;
      }
      // With priorities, a task in the queue may be more urgent.
      if (!Prioritized && next == nobody) {
        next = task.number;
      } else {
        own.todo.add(task);
      }
    }
  };

  std::optional<pool> pool_;
};

// Runs the graph once, in the calling strand.
void run_tasks(tasks_of_graph& all, bool prioritized, bool colored, graph::trace* seen);

}  // namespace sennit::detail
