// One run of a task_graph whose tasks choose among their successors.
#pragma once

#include "graph/static_graph_access.hpp"
#include "graph/tasks_of_graph.hpp"

#include <sennit/detail/graph/local_queue.hpp>
#include <sennit/detail/graph/work_pool.hpp>

#include <cstdint>
#include <vector>

namespace sennit::detail {

class task_run {
 public:
  explicit task_run(tasks_of_graph& all) : all_(all), order_(all.order()), underway_(all.size()) {}
  // Throws what a task threw, and std::logic_error if no task can begin.
  void run();

  template <class Session>
  void work(Session& own) {
    chosen_successors chosen;
    while (own.more()) {
      for (task_number next = own.todo.take(); next != nobody;) {
        next = step(next, own.todo, chosen);
        own.consider_others(next != nobody);
        if (pool_.stopped()) return;
      }
    }
  }

 private:
  using queue = local_queue<task_number>;

  // Runs the task. Returns one of those that can go on, and adds the others to the queue.
  task_number step(task_number n, queue& todo, chosen_successors& chosen);
  void refuse_if_underway(task_number n);

  tasks_of_graph& all_;
  static_graph_access order_;
  std::vector<std::uint8_t> underway_;  // tasks that can go on, and have not ended
  work_pool<task_run, queue> pool_;
};

}  // namespace sennit::detail
