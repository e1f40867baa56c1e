// SPDX-License-Identifier: Apache-2.0
#include "graph/strand_permit.hpp"
#include "region/waiting_strand.hpp"
#include "system/nanoseconds.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/limit.hpp>
#include <sennit/region.hpp>

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <stdexcept>

namespace sennit {

namespace {

std::uint64_t next_order() noexcept {
  static constinit std::atomic<std::uint64_t> latest{0};
  return latest.fetch_add(1, std::memory_order_relaxed);
}

// A strand that waits for a permit.
class strand_without_permit final : public detail::limit_waiter {
 public:
  strand_without_permit() noexcept : limit_waiter(nullptr) {}
  void wait() noexcept {
    hold_back();
    strand_.wait();
  }

 private:
  void admitted() noexcept override {
    admitted_.store(true, std::memory_order_relaxed);
    strand_.go_on();
  }
  // The worker of a strand that waits begins something else, and where all of that is within the limit, too, one more
  // strand waits with a stack of its own. So the more there are, the longer a worker looks on before it adds to them.
  void hold_back() const noexcept {
    constexpr std::size_t few = 16;
    constexpr std::uint64_t ns_for_each = 1000;
    constexpr std::uint64_t most_ns = 500'000;
    if (ahead_ < few) return;
    const std::uint64_t until = detail::now_ns() + std::min(ahead_ * ns_for_each, most_ns);
    while (!admitted_.load(std::memory_order_relaxed) && !strand_.others_go_on() &&
           !detail::stop_requested() && detail::now_ns() < until)
      sched_yield();
  }

  std::atomic<bool> admitted_{false};
  detail::waiting_strand strand_;
};

}  // namespace

void detail::enter_in_strand(limit& l) noexcept {
  strand_without_permit self;
  if (!l.enter(self)) self.wait();
}

limit::permit::permit(const limits& within) : limits_{} {
  const auto end = std::ranges::copy(within.all(), limits_).out;
  std::sort(std::begin(limits_), end, [](const limit* a, const limit* b) { return a->order() < b->order(); });
  std::fill(std::unique(std::begin(limits_), end), std::end(limits_), nullptr);
  auto enter_all = [this] {
    for (limit* const l : limits_) {
      if (l != nullptr) detail::enter_in_strand(*l);
    }
  };
  if (!detail::in_strand()) {
    detail::run_region(nullptr, enter_all);
    return;
  }
  enter_all();
#if SENNIT_EXCEPTIONS
  if (detail::stop_requested()) {
    leave();
    throw cancelled();
  }
#endif
}

void limit::permit::leave() noexcept {
  for (limit* const l : limits_) {
    if (l != nullptr) (void)l->leave();
  }
}

limit::limit(std::size_t most) : most_(most), order_(next_order()), free_(most) {
  if (most == 0)
    detail::fail<std::invalid_argument>("sennit: a limit of 0 lets no task run; give 1 at least");
}

std::size_t limit::free() const noexcept {
  const std::lock_guard guard(lock_);
  return free_;
}

bool limit::try_enter() noexcept {
  const std::lock_guard guard(lock_);
  if (free_ == 0) return false;
  --free_;
  return true;
}

bool limit::enter(detail::limit_waiter& w) noexcept {
  const std::lock_guard guard(lock_);
  // While others wait, no permit is free.
  if (free_ > 0) {
    --free_;
    return true;
  }
  w.next_ = nullptr;
  w.ahead_ = waiting_++;
  (last_ != nullptr ? last_->next_ : first_) = &w;
  last_ = &w;
  return false;
}

detail::limit_waiter* limit::leave(const void* owner) noexcept {
  const std::lock_guard guard(lock_);
  detail::limit_waiter* const next = first_;
  if (next == nullptr) {
    ++free_;
    return nullptr;
  }
  first_ = next->next_;
  --waiting_;
  if (first_ == nullptr) last_ = nullptr;
  if (owner != nullptr && next->owner_ == owner) return next;
  // Under the lock: withdraw() then knows whether the waiter has been told.
  next->admitted();
  return nullptr;
}

bool limit::withdraw(detail::limit_waiter& w) noexcept {
  const std::lock_guard guard(lock_);
  detail::limit_waiter* before = nullptr;
  for (detail::limit_waiter* at = first_; at != nullptr; before = at, at = at->next_) {
    if (at != &w) continue;
    (before != nullptr ? before->next_ : first_) = at->next_;
    if (last_ == at) last_ = before;
    --waiting_;
    return true;
  }
  return false;
}

}  // namespace sennit
