// SPDX-License-Identifier: Apache-2.0
// One run of a task_graph whose tasks choose, or have limits, priorities or colors, or whose run is traced.
#pragma once

#include "graph/limited_tasks.hpp"
#include "graph/prioritized_tasks.hpp"
#include "graph/static_graph_access.hpp"
#include "graph/tasks_of_graph.hpp"

#include <sennit/detail/graph/color_posts.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/tracing.hpp>
#include <sennit/detail/graph/work_pool.hpp>
#include <sennit/detail/telling.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// An item of a local queue: a task, or `nobody` for the one of the highest priority of those that are for the same workers.
struct queued_task {
  task_number number;
  color_set colors;
};

// What all kinds of runs do alike.
class task_run_state : protected limited_tasks {
 public:
  // `colors`: how many there are; 0 in a run without colors.
  task_run_state(tasks_of_graph& all, unsigned colors, bool prioritized);
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
  // The task can go on. Returns the item for it. Throws std::logic_error if the task is still running.
  queued_task begin(task_number n);
  static bool is_limited(const task_traits* t) noexcept {
    return t != nullptr && (!t->limits.empty() || t->inner != nullptr);
  }
  bool has_priorities() const noexcept { return by_priority_.has_value(); }
  queued_task queued(task_number n) const noexcept;
  bool waits_for_choice(task_number n) const noexcept {
    const task_traits* const t = all_.find_traits(n);
    return t != nullptr && t->only_chosen;
  }
  task_number taken(queued_task item) noexcept {
    return item.number != nobody ? item.number : by_priority_->take(kind_of(item));
  }
  void write_trace(graph::trace& seen, bool failed);
  void describe(task_number n, told_node& node) const;

  // Ends the run with the exception that is being handled, unless another one has ended it.
  void fail_with_current() noexcept;
  void drop_task(task_number n) noexcept {
    const task_traits* const t = all_.find_traits(n);
    if (is_limited(t)) drop(*t);
  }
  // The work pool has stopped.
  void end_with(work_pool_state& pool) noexcept;
  [[noreturn]] void throw_failure();

  tasks_of_graph& all_;
  static_graph_access order_;
  const unsigned colors_;
  std::vector<std::uint8_t> underway_;  // in a graph with choices: tasks that can go on, and have not ended
  graph_tracing<true> tracing_;
  // Tasks that may run more than once are not told.
  told_graph* const told_ = underway_.empty() ? claim_told_graph() : nullptr;

 private:
  [[noreturn]] void refuse_second_begin(task_number n) const;
  static std::size_t kind_of(queued_task item) noexcept {
    return item.colors == 0 ? 0 : static_cast<std::size_t>(std::countr_zero(item.colors)) + 1;
  }

  std::optional<prioritized_tasks<task_number>> by_priority_;
  std::mutex failing_;
  std::exception_ptr failure_;  // under failing_
};

template <bool Colored>
class task_run : public task_run_state {
 public:
  using task_run_state::task_run_state;
  // Throws what a task threw, and std::logic_error if no task can begin.
  void run(graph::trace* seen);

 private:
  using posts = std::conditional_t<Colored, color_posts<queued_task>, no_posts>;

  // Some tasks, and what follows from them: all of the run, or a branch.
  class part {
   public:
    // `admitted`: a task that goes on at once; or `nobody`.
    explicit part(task_run& whole, task_number admitted = nobody)
        : whole_(whole),
          pool_(whole.all_.coloring().of, whole.all_.coloring().patience),
          admitted_(admitted) {
      pool_.tell_to(whole.told_);
    }

    void run(const std::vector<queued_task>& first) noexcept {
      pool_.run(*this, first);
      if (pool_.stopped()) whole_.end_with(pool_);
    }
    template <class Session>
    void work(Session& own) {
      strand<Session> here{whole_, pool_, own, {}, {}};
#if SENNIT_EXCEPTIONS
      try {
        here.work(take_admitted());
      } catch (...) {
        whole_.fail_with_current();
        throw;
      }
#else
      here.work(take_admitted());
#endif
    }

   private:
    // Only the first strand finds it, and writes.
    task_number take_admitted() noexcept {
      const task_number n = admitted_;
      if (n != nobody) admitted_ = nobody;
      return n;
    }

    task_run& whole_;
    work_pool<part, queued_task, posts> pool_;
    task_number admitted_;  // for the strand that begins the pool, before there are others
  };

  template <class Session>
  struct strand {
    task_run& whole;
    work_pool_state& pool;
    Session& own;
    chosen_successors chosen;
    graph_tracing<true>::notes notes;

    ~strand() { whole.tracing_.leave(notes); }

    void work(task_number admitted) {
      if (admitted != nobody && !begin_admitted(admitted)) return;
      while (!whole.stopped() && own.more() && go_on(whole.taken(own.todo.take()))) {
      }
    }

   private:
    // The task has a permit, which it must not lose.
    bool begin_admitted(task_number n) {
      if (!whole.stopped()) return go_on(n);
      whole.drop_task(n);
      return false;
    }
    // Runs the task and what follows from it, as far as that is not in the queue. Returns false if the run has
    // been stopped.
    bool go_on(task_number next) {
      while (next != nobody) {
        const task_number done = next;
        next = step(done);
        own.did_one();
        own.consider_others(next != nobody);
        if (pool.is_told()) [[unlikely]]
          tell(done);
        if (whole.stopped() || pool.stopped()) [[unlikely]] {
          whole.stop();
          if (next != nobody) whole.drop_task(next);
          return false;
        }
      }
      return true;
    }

    void tell(task_number n) noexcept {
      const auto describe = [&](told_node& node) { whole.describe(n, node); };
      pool.tell(own.since_ns, describe);
    }

    // Gives back the permits of a task where an exception leaves the strand.
    struct held_permits {
      task_run& whole;
      task_number holder;
      ~held_permits() {
        if (holder == nobody) return;
        whole.stop();
        whole.drop_task(holder);
      }
    };

    task_number step(task_number n) {
      const task_traits* const t = whole.all_.find_traits(n);
      if (!is_limited(t)) {
        call(n, t);
        return followers(n, t);
      }
      held_permits held{whole, n};
      if (!whole.enter(*t)) return held.holder = nobody;
      call(n, t);
      // Before the task can begin again.
      held.holder = whole.leave(*t);
      const task_number next = followers(n, t);
      if (held.holder == nobody) return next;
      if (next != nobody) own.todo.add(whole.queued(next));
      return std::exchange(held.holder, nobody);
    }
    void call(task_number n, const task_traits* t) {
      // A choice may let the task begin again as soon as it has ended. Nobody counts down a task that runs.
      std::atomic_ref(whole.order_.waiting(n)).store(whole.order_.predecessors(n), std::memory_order_relaxed);
      chosen.clear();
      const auto begun = whole.tracing_.begin_node(notes);
      whole.all_.call(n, t != nullptr && t->chooses ? &chosen : nullptr);
      whole.tracing_.end_node(notes, n, begun);
      if (!whole.underway_.empty()) std::atomic_ref(whole.underway_[n]).store(0, std::memory_order_relaxed);
    }
    // Returns one of the tasks that can go on, and adds the others to the queue.
    task_number followers(task_number n, const task_traits* t) {
      return t != nullptr && t->chooses ? choose(*t) : count_down_successors(n);
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
        if (!count_down(whole.order_.waiting(after), 1)) continue;
        if (!whole.underway_.empty() && whole.waits_for_choice(after)) continue;
        follow(whole.begin(after), next);
      }
      return next;
    }
    void follow(queued_task task, task_number& next) {
      if constexpr (Colored) {
        if (own.post(task)) return;
      }
      // `nobody` if another task may have a higher priority.
      if (next == nobody && task.number != nobody) {
        next = task.number;
      } else {
        own.todo.add(task);
      }
    }
  };

  void go_on(task_number n) noexcept override;
};

// Runs the graph once, in the calling strand.
void run_tasks(tasks_of_graph& all, bool prioritized, bool colored, graph::trace* seen);

}  // namespace sennit::detail
