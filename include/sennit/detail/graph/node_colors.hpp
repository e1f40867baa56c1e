// SPDX-License-Identifier: Apache-2.0
// The colors that a color function gives a node.
#pragma once

#include <sennit/detail/colors.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit::detail {

// The bit of a color; no bit for a number that is not a place's.
template <std::integral Color>
constexpr std::uint64_t bit_of_color(Color c, unsigned count) noexcept {
  return std::cmp_greater_equal(c, 0) && std::cmp_less(c, count) ? color_bit(static_cast<unsigned>(c)) : 0;
}

// The colors with at least half of the largest weight.
template <class Range, class Do>
void for_each_color(const Range& weighted, Do&& do_with) {
  double most = 0;
  for (const auto& [color, weight] : weighted) most = weight > most ? weight : most;
  for (const auto& [color, weight] : weighted) {
    if (weight > 0 && 2 * weight >= most) do_with(color);
  }
}
template <class Range>
std::uint64_t bits_of_colors(const Range& weighted, unsigned count) {
  std::uint64_t bits = 0;
  for_each_color(weighted, [&](auto color) { bits |= bit_of_color(color, count); });
  return bits;
}

}  // namespace sennit::detail
