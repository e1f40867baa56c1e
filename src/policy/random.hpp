// SPDX-License-Identifier: Apache-2.0
// Draws where any number will do.
#pragma once

#include <cstdint>

namespace sennit::policy {

// The next state, which is the draw: xorshift64 (Marsaglia). Never 0 after a state that is not.
constexpr std::uint64_t next_random(std::uint64_t& state) noexcept {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

}  // namespace sennit::policy
