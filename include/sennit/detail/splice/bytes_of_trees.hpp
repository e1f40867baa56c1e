// SPDX-License-Identifier: Apache-2.0
// How much data declared trees, and slices of functions, touch.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/effects_access.hpp>
#include <sennit/effects.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit::detail {

// The bytes that the first tree, of so many indices, touches at one of them, on average. 0: not known.
template <class Tree>
double bytes_of_an_index(const std::vector<Tree>& trees, std::int64_t indices) {
  if (trees.empty() || indices <= 0) return 0;
  const Tree& first = trees.front();
  const auto mean = [&] {
    return static_cast<double>(effects_access::bytes(first.effects_of(first.all))) /
           static_cast<double>(indices);
  };
#if SENNIT_EXCEPTIONS
  try {
    return mean();
  } catch (...) {
    return 0;  // it throws again when its step is looked for
  }
#else
  return mean();
#endif
}

// The bytes of the hulls of effects_of(0) ... effects_of(n - 1), where bytes of several hulls count once. UINT64_MAX: a region
// has no hull. Throws what effects_of() throws.
template <class EffectsOf>
std::uint64_t bytes_together(std::size_t n, EffectsOf&& effects_of) {
  std::vector<hull> apart;
  for (std::size_t i = 0; i < n; ++i) {
    const effects& fx = effects_of(i);
    for (std::uint32_t r = 0; r < effects_access::size(fx); ++r) {
      hull all = effects_access::hulls_of(fx)[r];
      if (all.last == UINTPTR_MAX) return UINT64_MAX;
      std::erase_if(apart, [&](const hull& other) {
        if (other.last < all.first || all.last < other.first) return false;
        all = {std::min(all.first, other.first), std::max(all.last, other.last)};
        return true;
      });
      apart.push_back(all);
    }
  }
  std::uint64_t sum = 0;
  for (const hull& h : apart) sum += h.last - h.first;
  return sum;
}

}  // namespace sennit::detail
