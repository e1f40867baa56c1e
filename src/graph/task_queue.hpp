// What a strand of a run of a task_graph still has to do, where tasks have priorities.
#pragma once

#include <sennit/detail/colors.hpp>
#include <sennit/detail/graph/local_queue.hpp>
#include <sennit/detail/graph/task_body.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sennit::detail {

struct queued_task {
  task_number number;
  std::int32_t priority;
  color_set colors;
};

// The task with the highest priority first, and of several the latest. A heap.
class priority_queue {
 public:
  void add(queued_task t) {
    items_.push_back({t, ++latest_});
    std::push_heap(items_.begin(), items_.end(), comes_later);
  }
  bool empty() const noexcept { return items_.empty(); }
  std::size_t size() const noexcept { return items_.size(); }
  void clear() noexcept { items_.clear(); }
  void add_all(std::vector<queued_task>& added) {
    for (const queued_task& t : added) add(t);
  }
  queued_task take() noexcept {
    std::pop_heap(items_.begin(), items_.end(), comes_later);
    const queued_task first = items_.back().task;
    items_.pop_back();
    return first;
  }
  // Gives away every second task, and the first one with them: both sides then have urgent tasks.
  bool give(priority_queue& to) noexcept {
    const std::size_t all = items_.size();
    if (!has_room(to.items_, (all + 1) / 2)) return false;
    for (std::size_t i = 0; i < all; ++i) {
      if (i % 2 == 0) {
        to.items_.push_back(items_[i]);
      } else {
        items_[i / 2] = items_[i];
      }
    }
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(all / 2), items_.end());
    std::make_heap(items_.begin(), items_.end(), comes_later);
    std::make_heap(to.items_.begin(), to.items_.end(), comes_later);
    return true;
  }
  void put_back(priority_queue given) {
    items_.insert(items_.end(), given.items_.begin(), given.items_.end());
    std::make_heap(items_.begin(), items_.end(), comes_later);
  }
  color_set colors() const noexcept {
    color_set all = 0;
    for (const item& i : items_) all |= i.task.colors;
    return all;
  }

 private:
  struct item {
    queued_task task;
    std::uint64_t added;
  };
  static bool comes_later(const item& a, const item& b) noexcept {
    return a.task.priority != b.task.priority ? a.task.priority < b.task.priority : a.added < b.added;
  }
  static bool has_room(std::vector<item>& in, std::size_t count) noexcept {
#if SENNIT_EXCEPTIONS
    try {
      in.reserve(count);
    } catch (const std::exception&) {
      return false;
    }
#else
    in.reserve(count);
#endif
    return true;
  }

  std::vector<item> items_;
  std::uint64_t latest_ = 0;
};

}  // namespace sennit::detail
