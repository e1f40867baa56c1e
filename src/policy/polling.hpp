// SPDX-License-Identifier: Apache-2.0
// How often a worker that sleeps looks for events from outside.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sennit::policy {

// An event is noticed late by at most a nap. Each nap is a quarter longer than the one before, as the longer an event has been
// awaited, the less a nap of that length delays whoever waits for the event.
class polling {
 public:
  static constexpr std::uint64_t first_nap_ns = 20'000;
  static constexpr std::uint64_t longest_nap_ns = 1'000'000;
  // A worker that finds no work while events are awaited looks in so many rounds more before it sleeps, and yields its processor
  // in each. What counts are the looks at other workers, as in patience.
  static constexpr unsigned rounds_before_sleep(unsigned others) noexcept {
    return std::max(8U, 200U / std::max(others, 1U));
  }
  // Of the thread that polls while all workers are busy.
  static constexpr std::uint64_t busy_period_ns = 1'000'000;
  // So many periods in which nothing was awaited, and the thread rests until it is called. To call it for each of many brief waits
  // would cost more than these.
  static constexpr unsigned periods_before_rest = 50;

  constexpr std::uint64_t nap_ns() noexcept {
    const std::uint64_t nap = next_ns_;
    next_ns_ = std::min(longest_nap_ns, next_ns_ + next_ns_ / 4);
    return nap;
  }
  constexpr void found_events() noexcept { next_ns_ = first_nap_ns; }

 private:
  std::uint64_t next_ns_ = first_nap_ns;
};

}  // namespace sennit::policy
