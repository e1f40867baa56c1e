// When a worker without work leaves work of other colors to their own workers. (In Maglalang, Krishnamoorthy and Agrawal,
// 2016, section III, "Colored steals", a thief looks a number of times for its own color before it takes any; in a graph
// without that color it waits for ever.)
#pragma once

#include <atomic>
#include <cstdint>

namespace sennit::policy {

// The worker's thread writes it, others may read it.
class colored_steals {
 public:
  // The worker has run out of items of its own color, of which it had `own`. It leaves others' to them for as long as
  // `patience` of its items took on average, which were `items` in so many nanoseconds. Without own ones, nothing is known
  // of more to come, and it does not wait.
  void ran_out(double patience, std::uint64_t own, std::uint64_t items, std::uint64_t took_ns,
               std::uint64_t now_ns) noexcept {
    if (own == 0) return;
    const double wait = patience * static_cast<double>(took_ns) / static_cast<double>(items != 0 ? items : 1);
    constexpr double longest = 1e18;
    until_ns_.store(now_ns + static_cast<std::uint64_t>(wait < longest ? wait : longest),
                    std::memory_order_relaxed);
  }
  // Whether it takes its own color only. Otherwise it need not be asked again.
  bool own_only(std::uint64_t now_ns) const noexcept {
    return now_ns < until_ns_.load(std::memory_order_relaxed);
  }
  bool might_be_own_only() const noexcept { return until_ns_.load(std::memory_order_relaxed) != 0; }
  // The worker has work, or the time is over.
  void forget() noexcept {
    if (might_be_own_only()) until_ns_.store(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> until_ns_{0};
};

}  // namespace sennit::policy
