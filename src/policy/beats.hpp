// SPDX-License-Identifier: Apache-2.0
// How often a worker's latent work may be promoted.
#pragma once

#include <cstdint>

namespace sennit::policy {

// Heartbeat scheduling (Rainey et al., 2021, 2.2): the period before a promotion pays for its cost.
class beats {
 public:
  // 0: no period; a promotion is allowed at any time.
  void set_period(std::uint64_t ns) noexcept { period_ns_ = ns; }
  std::uint64_t period_ns() const noexcept { return period_ns_; }
  void promoted(std::uint64_t now_ns) noexcept { last_ns_ = now_ns; }
  // When the next promotion is allowed; 0: at any time.
  std::uint64_t next_ns() const noexcept {
    return period_ns_ == 0 || last_ns_ == 0 ? 0 : last_ns_ + period_ns_;
  }

 private:
  std::uint64_t period_ns_ = 0;
  std::uint64_t last_ns_ = 0;  // 0: no promotion yet
};

}  // namespace sennit::policy
