// SPDX-License-Identifier: Apache-2.0
// How long a fork will take, by what those before took: which parts of a program are told in its trace, and which are too
// brief for that.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sennit::policy {

inline constexpr std::uint64_t unknown_ns = ~std::uint64_t{0};

// What is known of the forks of one place in the program's code, as shares: of the time of the body around, and of the fork's
// own. Several threads may learn at once; what they lose of each other is made up for soon.
struct fork_shares {
  float of_body = 1;  // 1 also if nothing is known
  float left = 0;     // 0: not known
  float right = 0;
};

// A rise is believed sooner than a fall: what is taken for brief is not looked into.
constexpr float learned(float before, float now) noexcept {
  return before + (now - before) * (now > before ? 0.5F : 0.125F);
}

// Of a duration that may be unknown.
constexpr std::uint64_t share_of(std::uint64_t whole_ns, float share) noexcept {
  constexpr float most = 1e18F;
  if (whole_ns == unknown_ns) return unknown_ns;
  return static_cast<std::uint64_t>(std::min(static_cast<float>(whole_ns) * share, most));
}

// A right branch, once the left one is over.
constexpr std::uint64_t right_after(std::uint64_t left_ns, std::uint64_t fork_ns,
                                    const fork_shares& known) noexcept {
  if (known.left > 0) return share_of(left_ns, std::min(known.right / known.left, 1e6F));
  return fork_ns == unknown_ns || fork_ns <= left_ns ? unknown_ns : fork_ns - left_ns;
}

}  // namespace sennit::policy
