// The tasks of a task_graph, with their order.
#pragma once

#include "graph/static_graph_access.hpp"

#include <sennit/detail/graph/tasks_of_graph.hpp>
#include <sennit/static_graph.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

namespace sennit::detail {

// What few tasks have.
struct task_traits {
  std::string name;
  std::vector<task_number> choices;  // the successors of a task that chooses
  bool chooses = false;
  bool chosen = false;  // a task that chooses may choose it
};

class tasks_of_graph {
 public:
  tasks_of_graph() = default;
  tasks_of_graph(const tasks_of_graph&) = delete;
  tasks_of_graph& operator=(const tasks_of_graph&) = delete;
  ~tasks_of_graph();

  void* allocate(std::size_t bytes, std::size_t alignment);
  void add(task_code code, void (*end)(void*) noexcept, bool chooses);
  void order(task_number before, task_number after);
  task_traits& traits(task_number n);
  const task_traits* find_traits(task_number n) const noexcept {
    return n < traits_.size() ? traits_[n].get() : nullptr;
  }
  void refuse_while_running() const;

  std::size_t size() const noexcept { return codes_.size(); }
  std::size_t edge_count() const noexcept { return order_.edge_count() + choice_count_; }
  // As messages have it.
  std::string text_of(task_number n) const;
  std::string name_of(task_number n) const;

  void run(std::size_t times, const std::function<bool()>* until);

  // --- While it runs.
  // Calls the task's function. Throws node_error, with what the function threw nested in it.
  void call(task_number n, chosen_successors* chosen) const;
  bool has_choices() const noexcept { return has_choices_; }
  static_graph_access order() noexcept { return static_graph_access(order_); }

 private:
  struct ended {
    void (*end)(void*) noexcept;
    void* body;
  };
  class claim;

  void run_once();
  void sort();

  std::pmr::monotonic_buffer_resource memory_;
  std::vector<task_code> codes_;
  std::vector<ended> ends_;
  std::vector<std::unique_ptr<task_traits>> traits_;
  graph::static_graph order_;
  std::size_t choice_count_ = 0;
  bool has_choices_ = false;
  std::atomic<bool> running_{false};
};

}  // namespace sennit::detail
