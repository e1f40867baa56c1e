// SPDX-License-Identifier: Apache-2.0
// The tasks of a strand of a task flow that are ready: the strand works at one end, the others take from the other.
#pragma once

#include "system/brief_lock.hpp"

#include <sennit/detail/graph/flow_task.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace sennit::detail {

class alignas(64) flow_queue {
 public:
  static constexpr std::uint32_t most_at_once = 64;

  // Returns false if there is no memory.
  bool add(flow_task* task) noexcept {
    const std::lock_guard guard(lock_);
    if (end_ - begin_ == room_ && !grow()) return false;
    at(end_++) = task;
    note_size();
    return true;
  }
  flow_task* take_oldest() noexcept {
    if (empty()) return nullptr;
    const std::lock_guard guard(lock_);
    if (begin_ == end_) return nullptr;
    flow_task* const task = at(begin_++);
    note_size();
    return task;
  }
  flow_task* take_newest() noexcept {
    if (empty()) return nullptr;
    const std::lock_guard guard(lock_);
    if (begin_ == end_) return nullptr;
    flow_task* const task = at(--end_);
    note_size();
    return task;
  }
  // Takes the older half of another queue. Returns false if that is empty, or if there is no memory.
  bool take_half(flow_queue& from) noexcept {
    if (from.empty()) return false;
    {
      // Others only take from this queue meanwhile, so the room stays.
      const std::lock_guard guard(lock_);
      while (end_ - begin_ + most_at_once > room_) {
        if (!grow()) return false;
      }
    }
    flow_task* taken[most_at_once];
    std::uint32_t count = 0;
    {
      const std::lock_guard guard(from.lock_);
      count = std::min((from.end_ - from.begin_ + 1) / 2, most_at_once);
      for (std::uint32_t i = 0; i < count; ++i) taken[i] = from.at(from.begin_ + i);
      from.begin_ += count;
      from.note_size();
    }
    if (count == 0) return false;
    const std::lock_guard guard(lock_);
    for (std::uint32_t i = count; i-- > 0;) at(end_++) = taken[i];
    note_size();
    return true;
  }
  void clear() noexcept {
    const std::lock_guard guard(lock_);
    begin_ = end_;
    note_size();
  }
  // As far as is known without the lock.
  bool empty() const noexcept { return size_.load(std::memory_order_relaxed) == 0; }
  // Another number whenever a task has come or gone, or the strand has got on otherwise.
  std::uint32_t changes() const noexcept { return changes_.load(std::memory_order_relaxed); }
  // Its strand gets on, although no task comes or goes here.
  void note_progress() noexcept {
    changes_.store(changes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

 private:
  flow_task*& at(std::uint32_t i) noexcept { return tasks_[i & (room_ - 1)]; }
  void note_size() noexcept {
    size_.store(end_ - begin_, std::memory_order_relaxed);
    note_progress();
  }
  bool grow() noexcept {
    const std::uint32_t room = room_ == 0 ? most_at_once : 2 * room_;
    std::unique_ptr<flow_task*[]> tasks(new (std::nothrow) flow_task*[room]);
    if (tasks == nullptr) return false;
    for (std::uint32_t i = begin_; i != end_; ++i) tasks[i & (room - 1)] = at(i);
    tasks_ = std::move(tasks);
    room_ = room;
    return true;
  }

  brief_lock lock_;
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t room_ = 0;  // a power of two
  std::unique_ptr<flow_task*[]> tasks_;
  // Others look at it while they have nothing to do.
  alignas(64) std::atomic<std::uint32_t> size_{0};
  std::atomic<std::uint32_t> changes_{0};
};

}  // namespace sennit::detail
