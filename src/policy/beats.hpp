// How often a worker's latent work may become others'.
#pragma once

#include <cstdint>

namespace sennit::policy {

// Heartbeat scheduling (Rainey et al., 2021, 2.2): a promotion is paid for by the period that went before it.
class beats {
 public:
  // 0: there are none, and each promotion is in time.
  void set_period(std::uint64_t ns) noexcept { period_ns_ = ns; }
  std::uint64_t period_ns() const noexcept { return period_ns_; }
  void promoted(std::uint64_t now_ns) noexcept { last_ns_ = now_ns; }
  // When the next promotion is in time; 0: at any time.
  std::uint64_t next_ns() const noexcept {
    return period_ns_ == 0 || last_ns_ == 0 ? 0 : last_ns_ + period_ns_;
  }

 private:
  std::uint64_t period_ns_ = 0;
  std::uint64_t last_ns_ = 0;  // 0: there has been none
};

}  // namespace sennit::policy
