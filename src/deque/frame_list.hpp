// SPDX-License-Identifier: Apache-2.0
// Frames that have left their owners' deques, oldest first but for those that come before all. Under the lock of the deque that has the list.
#pragma once

#include <sennit/detail/assert.hpp>
#include <sennit/detail/fork/frame.hpp>

#include <atomic>

namespace sennit::detail {

class frame_list {
 public:
  // A hint, without the lock: thieves look here before they take it.
  bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  frame* oldest() const noexcept { return oldest_; }
  static frame* after(frame& f) noexcept { return f.stolen().newer; }

  void append(frame& f) noexcept {
    SENNIT_ASSERT((oldest_ == nullptr) == (newest_ == nullptr));
    SENNIT_ASSERT(newest_ == nullptr || (newest_ != &f && newest_->stolen().newer == nullptr));
    stolen_state& stolen = f.stolen();
    stolen.list = this;
    stolen.older = newest_;
    stolen.newer = nullptr;
    (newest_ != nullptr ? newest_->stolen().newer : oldest_) = &f;
    newest_ = &f;
    any_.store(true, std::memory_order_relaxed);
  }
  // Before all others, but behind those that were put there before.
  void put_first(frame& f) noexcept {
    frame* before = nullptr;
    frame* next = oldest_;
    for (; next != nullptr && next->stolen().resumes; next = next->stolen().newer) before = next;
    stolen_state& stolen = f.stolen();
    stolen.list = this;
    stolen.resumes = true;
    stolen.older = before;
    stolen.newer = next;
    (before != nullptr ? before->stolen().newer : oldest_) = &f;
    (next != nullptr ? next->stolen().older : newest_) = &f;
    any_.store(true, std::memory_order_relaxed);
  }
  void unlink(frame& f) noexcept {
    stolen_state& stolen = f.stolen();
    SENNIT_ASSERT(stolen.list == this);
    // Not unlinked before: its neighbors know of it.
    SENNIT_ASSERT((stolen.older != nullptr ? stolen.older->stolen().newer : oldest_) == &f);
    SENNIT_ASSERT((stolen.newer != nullptr ? stolen.newer->stolen().older : newest_) == &f);
    (stolen.older != nullptr ? stolen.older->stolen().newer : oldest_) = stolen.newer;
    (stolen.newer != nullptr ? stolen.newer->stolen().older : newest_) = stolen.older;
    if (oldest_ == nullptr) any_.store(false, std::memory_order_relaxed);
  }

 private:
  frame* oldest_ = nullptr;
  frame* newest_ = nullptr;
  std::atomic<bool> any_{false};
};

}  // namespace sennit::detail
