// SPDX-License-Identifier: Apache-2.0
// The tasks of a task_graph: what its templates call.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/task_body.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace sennit {
class limit;
}
namespace sennit::graph {
struct coloring;
class trace;
}  // namespace sennit::graph

namespace sennit::detail {

class tasks_of_graph;
class run_queue;
class task_request;

// What changes the tasks throws std::logic_error while the graph runs, and std::bad_alloc.
struct SENNIT_EXPORT task_building {
  static std::shared_ptr<tasks_of_graph> make();
  static void refuse_while_running(const tasks_of_graph& all);
  // Memory for the body of the task that is added next.
  static void* allocate(tasks_of_graph& all, std::size_t bytes, std::size_t alignment);
  static task_number next(const tasks_of_graph& all) noexcept;
  // `end`: ends the body; null if there is nothing to do.
  static void add(tasks_of_graph& all, task_code code, void (*end)(void*) noexcept, bool chooses);
  static void order(tasks_of_graph& all, task_number before, const tasks_of_graph* other, task_number after);
  static void set_name(tasks_of_graph& all, task_number n, std::string name);
  static void add_graph(tasks_of_graph& all, const std::shared_ptr<tasks_of_graph>& inner);
  static void set_priority(tasks_of_graph& all, task_number n, int priority);
  static void set_color(tasks_of_graph& all, task_number n, unsigned color);
  static void set_coloring(tasks_of_graph& all, const graph::coloring& c);
  static void set_cost(tasks_of_graph& all, task_number n, double cost);
  static void set_limit(tasks_of_graph& all, task_number n, limit& l);
  static limit& own_limit(tasks_of_graph& all);
  static void prioritize(tasks_of_graph& all);
  static void prioritize(tasks_of_graph& all, const graph::trace& seen);
  static std::string name(const tasks_of_graph& all, task_number n);
  static std::size_t size(const tasks_of_graph& all) noexcept;
  static std::size_t edge_count(const tasks_of_graph& all) noexcept;
  [[noreturn]] static void refuse_empty_handle();
  [[noreturn]] static void refuse_moved_graph();
};

struct SENNIT_EXPORT task_running {
  // Runs the graph until the function says so, at most that often. `code`: where the program runs it.
  static void run(tasks_of_graph& all, std::size_t times, const std::function<bool()>* until,
                  graph::trace* seen, const void* code);
  static void await_all(tasks_of_graph& all);
};

}  // namespace sennit::detail
