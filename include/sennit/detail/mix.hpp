// SPDX-License-Identifier: Apache-2.0
// Hashes of which all bits are as good.
#pragma once

#include <sennit/detail/config.hpp>

#include <cstdint>

namespace sennit::detail {

// All bits of the result depend on all bits of the argument. A product alone has low bits that depend on low
// bits only, so its high half is folded onto them.
SENNIT_INLINE constexpr std::uint64_t mix(std::uint64_t h) noexcept {
  __extension__ using wide = unsigned __int128;
  const wide product = wide{h ^ 0x2d358dccaa6c78a5} * 0x9e3779b97f4a7c15;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace sennit::detail
