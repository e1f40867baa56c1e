// How many latent frames of a worker have become work for others, and when the next one may.
#pragma once

#include "policy/beats.hpp"
#include "system/nanoseconds.hpp"

#include <sennit/region.hpp>

#include <atomic>
#include <cstdint>

namespace sennit::detail {

// Anyone reads it. It changes under the lock of the deque, but for dealt(); the period is the owner's.
class promotions {
 public:
  // `beat_ns`: what has to pass between promotions where no region says otherwise; 0: nothing.
  explicit promotions(std::uint64_t beat_ns) noexcept : default_ns_(beat_ns) { beats_.set_period(beat_ns); }

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
  void made_one() noexcept {
    count_.fetch_add(1, std::memory_order_relaxed);
    if (on_demand()) return;
    beats_.promoted(now_ns());
    next_ns_.store(beats_.next_ns(), std::memory_order_relaxed);
  }
  // Nothing is to be taken before that time, whatever the period. By the owner.
  void none_before(std::uint64_t ns) noexcept { next_ns_.store(ns, std::memory_order_relaxed); }
  // A part of a loop has been handed to another worker.
  void dealt() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }

  std::uint64_t count() const noexcept { return count_.load(std::memory_order_relaxed); }
  // Whether promotions wait for nothing but thieves.
  bool on_demand() const noexcept { return beats_.period_ns() == 0; }
  // When the next frame that is latent now may be taken; 0: as far as beats go, at any time. A hint.
  std::uint64_t next_ns() const noexcept { return next_ns_.load(std::memory_order_relaxed); }
  bool too_early() const noexcept {
    const std::uint64_t next = next_ns();
    return next != 0 && now_ns() < next;
  }

 private:
  const std::uint64_t default_ns_;
  policy::beats beats_;
  std::atomic<std::uint64_t> next_ns_{0};
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace sennit::detail
