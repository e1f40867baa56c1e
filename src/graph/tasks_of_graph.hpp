// SPDX-License-Identifier: Apache-2.0
// The tasks of a task_graph, with their order and with what few of them have.
#pragma once

#include "graph/run_queue.hpp"
#include "graph/static_graph_access.hpp"

#include <sennit/detail/graph/task_building.hpp>
#include <sennit/graph.hpp>
#include <sennit/limit.hpp>
#include <sennit/static_graph.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

namespace sennit::detail {

// What few tasks have.
struct task_traits {
  std::string name;
  std::vector<task_number> choices;  // the successors of a task that chooses
  bool chooses = false;
  bool chosen = false;  // a task that chooses may choose it
  // It comes after tasks that such a choice comes after, too, and so would begin before it is chosen.
  bool only_chosen = false;
  std::int32_t priority = 0;
  std::optional<unsigned> color;
  double cost = 1;
  std::vector<limit*> limits;             // in the order in which the task enters them
  std::size_t limited = 0;                // its number among the tasks with limits
  std::shared_ptr<tasks_of_graph> inner;  // the graph that the task runs
};

class tasks_of_graph {
 public:
  tasks_of_graph() : runs_(std::make_shared<run_queue>(*this)) {}
  tasks_of_graph(const tasks_of_graph&) = delete;
  tasks_of_graph& operator=(const tasks_of_graph&) = delete;
  ~tasks_of_graph();

  // --- Building.
  void refuse_while_running() const;
  void* allocate(std::size_t bytes, std::size_t alignment);
  void add(task_code code, void (*end)(void*) noexcept, bool chooses);
  void add_graph(std::shared_ptr<tasks_of_graph> inner);
  void order(task_number before, task_number after);
  task_traits& traits(task_number n);
  void set_priority(task_number n, int priority);
  void set_color(task_number n, unsigned color);
  void set_limit(task_number n, limit& l);
  limit& own_limit();
  void set_coloring(const graph::coloring& c);
  // Priorities by the longest path from each task to an end of the graph.
  void prioritize(const std::function<double(task_number)>& cost);

  const task_traits* find_traits(task_number n) const noexcept {
    return n < traits_.size() ? traits_[n].get() : nullptr;
  }
  std::size_t size() const noexcept { return codes_.size(); }
  std::size_t edge_count() const noexcept { return order_.edge_count() + choice_count_; }
  std::size_t limited_count() const noexcept { return limited_count_; }
  std::string name_of(task_number n) const;
  // As messages have it.
  std::string text_of(task_number n) const;

  // --- Running.
  run_queue& runs() noexcept { return *runs_; }
  // In the calling strand, until the function says so, at most so often. Precondition: no other run.
  // `code`: where the program runs the graph; null: not known.
  void run_here(std::size_t times, const std::function<bool()>* until, graph::trace* seen,
                const void* code = nullptr);
  // A run that async() began is about to run the tasks, and those of the graphs within.
  void async_begins() noexcept;
  // Calls the task's function. Throws node_error, with what the function threw nested in it.
  SENNIT_INLINE void call(task_number n, chosen_successors* chosen) const {
    const task_code code = codes_[n];
#if SENNIT_EXCEPTIONS
    try {
      code.run(code.body, chosen);
    } catch (...) {
      rethrow_named(n);
    }
#else
    code.run(code.body, chosen);
#endif
  }
  bool has_choices() const noexcept { return has_choices_; }
  const graph::coloring& coloring() const noexcept { return coloring_; }
  static_graph_access order() noexcept { return static_graph_access(order_); }
  // Of a graph within others: its tasks run for one of these at a time.
  limit& one_at_a_time() noexcept { return one_at_a_time_; }

 private:
  struct ended {
    void (*end)(void*) noexcept;
    void* body;
  };

  // Called in a handler.
  [[noreturn]] SENNIT_COLD void rethrow_named(task_number n) const;
  bool contains(const tasks_of_graph& other) const noexcept;
  void sort();
  void prepare_traits(task_number n);
  void find_only_chosen();
  void refuse_never_begun();
  void refuse_limits_within(const tasks_of_graph& inner, task_number outer) const;
  void run_once(graph::trace* seen);
  void run_within();
  std::pmr::monotonic_buffer_resource memory_;
  std::vector<task_code> codes_;
  std::vector<ended> ends_;
  std::vector<std::unique_ptr<task_traits>> traits_;
  graph::static_graph order_;
  std::deque<limit> own_limits_;
  limit one_at_a_time_{1};
  std::size_t choice_count_ = 0;
  std::size_t limited_count_ = 0;
  bool has_choices_ = false;
  bool has_graphs_ = false;                // tasks that run others
  std::atomic<bool> within_async_{false};  // this graph is one of those that such a run runs
  bool has_priorities_ = false;
  bool has_colors_ = false;
  bool checked_ = true;
  graph::coloring coloring_;
  const std::shared_ptr<run_queue> runs_;
};

}  // namespace sennit::detail
