// The tasks of a run of a task_graph that can go on, where tasks have priorities.
#pragma once

#include <sennit/detail/colors.hpp>
#include <sennit/detail/graph/task_body.hpp>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

namespace sennit::detail {

struct queued_task {
  task_number number;
  std::int32_t priority;
  color_set colors;
};

// All tasks that can go on, for all strands of the run: a strand whose queue has an item may take one of them, whichever is
// the most urgent by then. So there are as many items in queues as tasks here, and a lock for each task.
class urgent_tasks {
 public:
  // Throws std::bad_alloc.
  void add(const queued_task& t) {
    const std::lock_guard guard(lock_);
    tasks_.push_back({t, ++latest_});
    std::push_heap(tasks_.begin(), tasks_.end(), comes_later);
  }
  // The task with the highest priority, and of several the latest. Precondition: the caller has taken an item.
  queued_task take() noexcept {
    const std::lock_guard guard(lock_);
    std::pop_heap(tasks_.begin(), tasks_.end(), comes_later);
    const queued_task first = tasks_.back().task;
    tasks_.pop_back();
    return first;
  }

 private:
  struct added_task {
    queued_task task;
    std::uint64_t added;
  };
  static bool comes_later(const added_task& a, const added_task& b) noexcept {
    return a.task.priority != b.task.priority ? a.task.priority < b.task.priority : a.added < b.added;
  }

  std::mutex lock_;
  std::vector<added_task> tasks_;  // a heap
  std::uint64_t latest_ = 0;
};

}  // namespace sennit::detail
