// SPDX-License-Identifier: Apache-2.0
// How latent work of a worker becomes work for others: as what, how often that has happened, and when it may again.
#pragma once

#include "deque/slots.hpp"
#include "policy/beats.hpp"
#include "system/nanoseconds.hpp"

#include <sennit/detail/colors.hpp>
#include <sennit/detail/fork/divisible.hpp>
#include <sennit/detail/fork/frame.hpp>
#include <sennit/detail/worker_tls.hpp>
#include <sennit/region.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sennit::detail {

class reserve;
class strand_here;

// Any thread may read it. It changes under the lock of the deque, except in dealt(). Only the owner uses the period.
class promotions {
 public:
  // `beat_ns`: what has to pass between promotions where no region says otherwise; 0: nothing.
  promotions(const strand_here& here, std::uint64_t beat_ns) noexcept : here_(here), default_ns_(beat_ns) {
    beats_.set_period(beat_ns);
  }

  // Makes a stolen frame of the branch in the slot, or of a part of the divisible work there. No frame: there is no
  // memory for that, or no part to be had. `memory`: the calling thread's.
  promoted promote(const slot* at, color_set colors, parting how, reserve& memory) noexcept;

  // The period belongs to the worker, and to the promotions that its region allows.
  void follow(const region_state* region) noexcept {
    std::uint64_t period = default_ns_;
    for (const region_state* r = region; r != nullptr; r = r->outer) {
      if (r->beat_ns == region_state::inherited) continue;
      period = r->beat_ns;
      break;
    }
    if (period == beats_.period_ns()) return;
    beats_.set_period(period);
    next_ns_.store(beats_.next_ns(), std::memory_order_relaxed);
  }
  // Nothing may be taken before `until`, whatever the period, nor as long as the schedule that the strand has followed
  // since `since` says so. The owner calls it.
  void keep(std::uint64_t since, std::uint64_t until) noexcept {
    kept_until_ns_.store(until, std::memory_order_relaxed);
    kept_since_ns_.store(since, std::memory_order_relaxed);
  }
  // The period alone counts again. The owner calls it.
  void keep_no_longer() noexcept { kept_since_ns_.store(0, std::memory_order_relaxed); }
  // A part of a loop has been handed to another worker.
  void dealt() noexcept { dealt_.fetch_add(1, std::memory_order_relaxed); }

  std::uint64_t count() const noexcept {
    return made_.load(std::memory_order_relaxed) + dealt_.load(std::memory_order_relaxed);
  }
  // Whether promotions wait for nothing but thieves.
  bool on_demand() const noexcept { return beats_.period_ns() == 0; }
  // Before that time, no frame may be taken that is latent now; 0: as far as beats and schedules go, one may be taken at
  // any time. A hint.
  std::uint64_t next_ns() const noexcept {
    const std::uint64_t next = next_ns_.load(std::memory_order_relaxed);
    const bool kept = kept_since_ns_.load(std::memory_order_relaxed) != 0;
    return kept ? std::max(next, kept_until_ns_.load(std::memory_order_relaxed)) : next;
  }
  bool too_early() const noexcept {
    const std::uint64_t next = next_ns();
    return next != 0 && now_ns() < next;
  }
  // Whether the next frame may be taken. Under the lock.
  bool due() noexcept {
    return !too_early() && (kept_since_ns_.load(std::memory_order_relaxed) == 0 || schedule_lets());
  }

 private:
  frame* mark_stolen(const slot* at, color_set colors, reserve& memory) const noexcept;
  void made_one() noexcept;
  bool schedule_lets() noexcept;

  const strand_here& here_;
  const std::uint64_t default_ns_;
  policy::beats beats_;
  std::atomic<std::uint64_t> next_ns_{0};  // by the beat
  // By keep(). A thief may raise the end for a strand that has just made way for another one: a hint, for that one.
  std::atomic<std::uint64_t> kept_since_ns_{0};
  std::atomic<std::uint64_t> kept_until_ns_{0};
  // Written under the lock, so plain stores do: a thief waits for the owner that hands a frame over.
  std::atomic<std::uint64_t> made_{0};
  std::atomic<std::uint64_t> dealt_{0};
};

}  // namespace sennit::detail
