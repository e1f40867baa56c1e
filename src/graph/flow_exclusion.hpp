// SPDX-License-Identifier: Apache-2.0
// What tasks of a task flow hold that use a region one at a time.
#pragma once

#include "system/brief_lock.hpp"

#include <sennit/detail/graph/flow_task.hpp>

#include <mutex>
#include <utility>

namespace sennit::detail {

class flow_exclusion {
 public:
  bool take() noexcept {
    const std::lock_guard guard(lock_);
    return !std::exchange(taken_, true);
  }
  // Lets the task wait until somebody gives the exclusion back. Returns false if nobody holds it any more.
  bool wait(flow_task& task) noexcept {
    const std::lock_guard guard(lock_);
    if (!taken_) return false;
    task.more->next = nullptr;
    (last_ != nullptr ? last_->more->next : first_) = &task;
    last_ = &task;
    return true;
  }
  // Returns the task that has waited longest, which is to try again; null if none waits.
  flow_task* give_back() noexcept {
    const std::lock_guard guard(lock_);
    taken_ = false;
    flow_task* const woken = first_;
    if (woken == nullptr) return nullptr;
    first_ = woken->more->next;
    if (first_ == nullptr) last_ = nullptr;
    return woken;
  }
  // Nobody holds it, and those that wait are dropped.
  void clear() noexcept {
    taken_ = false;
    first_ = last_ = nullptr;
  }

 private:
  brief_lock lock_;
  bool taken_ = false;
  flow_task* first_ = nullptr;
  flow_task* last_ = nullptr;
};

}  // namespace sennit::detail
