// SPDX-License-Identifier: Apache-2.0
// The worker to steal from.
#pragma once

#include "policy/random.hpp"

#include <cstdint>

namespace sennit::policy {

// Uniform among the other workers, as in Cilk's scheduler.
class random_victim {
 public:
  explicit random_victim(std::uint64_t seed) noexcept : state_(seed * 0x9e3779b97f4a7c15 + 1) {}

  // One of 0..count-1 other than `self`. Precondition: count > 1, self < count.
  unsigned next(unsigned count, unsigned self) noexcept {
    // The product's high half, without a division.
    const auto drawn = static_cast<unsigned>(((next_random(state_) >> 32) * (count - 1)) >> 32);
    return drawn + (drawn >= self ? 1 : 0);
  }

 private:
  std::uint64_t state_;
};

}  // namespace sennit::policy
