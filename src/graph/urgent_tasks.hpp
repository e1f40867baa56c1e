// What can go on, where tasks have priorities.
#pragma once

#include "system/brief_lock.hpp"

#include <sennit/detail/graph/urgent_heap.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace sennit::detail {

// All strands share it. Their queues have an item for each task here, which says only that there is one. Whoever takes
// such an item takes the most urgent task of the item's kind. So the most urgent task begins first, wherever it became
// ready.
template <class Task>
class urgent_tasks {
 public:
  // `kinds`: of items; tasks of one kind are for the same workers.
  explicit urgent_tasks(std::size_t kinds) : heaps_(kinds) {}

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
    for (urgent_heap<Task>& heap : heaps_) heap.clear();
  }

 private:
  brief_lock lock_;
  std::vector<urgent_heap<Task>> heaps_;
};

}  // namespace sennit::detail
