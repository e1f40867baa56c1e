// Frames that have left their owners' deques, oldest first. Under the lock of the deque that has the list.
#pragma once

#include <sennit/detail/frame.hpp>

#include <atomic>

namespace sennit::detail {

class frame_list {
 public:
  // A hint, without the lock: thieves look here before they take it.
  bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  frame* oldest() const noexcept { return oldest_; }
  static frame* after(frame& f) noexcept { return f.away().newer; }

  void append(frame& f) noexcept {
    departure& away = f.away();
    away.list = this;
    away.older = newest_;
    away.newer = nullptr;
    (newest_ != nullptr ? newest_->away().newer : oldest_) = &f;
    newest_ = &f;
    any_.store(true, std::memory_order_relaxed);
  }
  void unlink(frame& f) noexcept {
    departure& away = f.away();
    (away.older != nullptr ? away.older->away().newer : oldest_) = away.newer;
    (away.newer != nullptr ? away.newer->away().older : newest_) = away.older;
    if (oldest_ == nullptr) any_.store(false, std::memory_order_relaxed);
  }

 private:
  frame* oldest_ = nullptr;
  frame* newest_ = nullptr;
  std::atomic<bool> any_{false};
};

}  // namespace sennit::detail
