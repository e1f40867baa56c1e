// SPDX-License-Identifier: Apache-2.0
// The steady clock, for rare events.
#pragma once

#include <chrono>
#include <cstdint>

namespace sennit::detail {

inline std::uint64_t now_ns() noexcept {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

}  // namespace sennit::detail
