// SPDX-License-Identifier: Apache-2.0
// Tasks that are made before they are handed to their group, or to an arena.
#pragma once

#include <sennit/tbb/first.hpp>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>

namespace tbb {
namespace on_sennit {

class task_group;

// A task that runs once it is handed to a group, or to an arena.
class deferred_task {
 public:
  deferred_task(const deferred_task&) = delete;
  deferred_task& operator=(const deferred_task&) = delete;
  virtual ~deferred_task();
  virtual void run() = 0;

  task_group& group;
  std::unique_ptr<deferred_task> next;  // where it is in a list

 protected:
  explicit deferred_task(task_group& of);
};

// A list that needs no memory.
class deferred_tasks {
 public:
  void add(std::unique_ptr<deferred_task> task) {
    std::unique_ptr<deferred_task>& end = newest_ != nullptr ? newest_->next : oldest_;
    newest_ = task.get();
    end = std::move(task);
  }
  // Null: there are none.
  std::unique_ptr<deferred_task> take_oldest() {
    std::unique_ptr<deferred_task> taken = std::move(oldest_);
    if (taken != nullptr) oldest_ = std::move(taken->next);
    if (oldest_ == nullptr) newest_ = nullptr;
    return taken;
  }

 private:
  std::unique_ptr<deferred_task> oldest_;
  deferred_task* newest_ = nullptr;
};

class task_handle {
 public:
  task_handle() = default;

  explicit operator bool() const noexcept { return task_ != nullptr; }
  friend bool operator==(const task_handle& h, std::nullptr_t) noexcept { return h.task_ == nullptr; }

 private:
  friend class task_group;
  friend struct handles;
  explicit task_handle(std::unique_ptr<deferred_task> task) : task_(std::move(task)) {}

  std::unique_ptr<deferred_task> task_;
};

// What arenas need of handles.
struct handles {
  static std::unique_ptr<deferred_task> take(task_handle&& h) {
    if (h.task_ == nullptr) throw std::runtime_error("tbb: the task_handle is empty; run a task once only");
    return std::move(h.task_);
  }
  // In the group that made it.
  static void run(task_handle&& h);
};

}  // namespace on_sennit
inline namespace v1 {
using on_sennit::task_handle;
}  // namespace v1
}  // namespace tbb
