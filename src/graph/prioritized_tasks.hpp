// SPDX-License-Identifier: Apache-2.0
// What can go on, where tasks have priorities.
#pragma once

#include "system/brief_lock.hpp"

#include <sennit/detail/graph/priority_heap.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace sennit::detail {

// All strands share it. Their queues have an item for each task here, which says only that there is one. Whoever takes
// such an item takes the task of the highest priority of the item's kind. So the task of the highest priority begins first, wherever it became
// ready.
template <class Task>
class prioritized_tasks {
 public:
  // `kinds`: of items; tasks of one kind are for the same workers.
  explicit prioritized_tasks(std::size_t kinds) : heaps_(kinds) {}

  // Throws std::bad_alloc.
  void add(std::size_t kind, Task t, std::int32_t priority) {
    const std::lock_guard guard(lock_);
    heaps_[kind].add(t, priority);
  }
  // Precondition: fewer tasks of that kind have been taken than added.
  Task take(std::size_t kind) noexcept {
    const std::lock_guard guard(lock_);
    return heaps_[kind].take();
  }
  void clear() noexcept {
    const std::lock_guard guard(lock_);
    for (priority_heap<Task>& heap : heaps_) heap.clear();
  }

 private:
  brief_lock lock_;
  std::vector<priority_heap<Task>> heaps_;
};

}  // namespace sennit::detail
