// The tasks of a run that can go on, where tasks have priorities.
#pragma once

#include "system/brief_lock.hpp"

#include <sennit/detail/graph/task_body.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace sennit::detail {

// All strands of a run share it. Their local queues have an item for each task here, which says only that there is
// one. Whoever takes such an item takes the most urgent task of the item's kind. So the most urgent task begins
// first, wherever it became ready.
class urgent_tasks {
 public:
  // `kinds`: of items; tasks of one kind are for the same workers.
  explicit urgent_tasks(std::size_t kinds) : heaps_(kinds) {}

  // Throws std::bad_alloc.
  void add(std::size_t kind, task_number n, std::int32_t priority) {
    const std::lock_guard guard(lock_);
    std::vector<ready>& heap = heaps_[kind];
    heap.push_back({n, priority, ++latest_});
    std::push_heap(heap.begin(), heap.end(), comes_later);
  }
  // Precondition: fewer tasks of that kind have been taken than added.
  task_number take(std::size_t kind) noexcept {
    const std::lock_guard guard(lock_);
    std::vector<ready>& heap = heaps_[kind];
    std::pop_heap(heap.begin(), heap.end(), comes_later);
    const task_number first = heap.back().number;
    heap.pop_back();
    return first;
  }

 private:
  struct ready {
    task_number number;
    std::int32_t priority;
    std::uint64_t added;
  };
  // Of several with one priority, the latest comes first: its data may be in the cache.
  static bool comes_later(const ready& a, const ready& b) noexcept {
    return a.priority != b.priority ? a.priority < b.priority : a.added < b.added;
  }

  brief_lock lock_;
  std::vector<std::vector<ready>> heaps_;
  std::uint64_t latest_ = 0;
};

}  // namespace sennit::detail
