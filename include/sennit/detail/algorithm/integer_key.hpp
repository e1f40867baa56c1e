// SPDX-License-Identifier: Apache-2.0
// Keys as unsigned integers that have the same order.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sennit::detail {

template <class K>
concept fraction_key = std::same_as<K, float> || std::same_as<K, double>;
template <class K>
concept integer_key = (std::integral<K> || std::is_enum_v<K> || fraction_key<K>) && sizeof(K) <= 8;

template <integer_key K>
using bits_of_key = std::conditional_t<sizeof(K) <= 4, std::uint32_t, std::uint64_t>;

// The order of fractions is that of their bits, with the bits of negative ones inverted. The two zeros are equal, as
// for <. A value that is no number comes first or last, by its sign.
template <integer_key K>
constexpr bits_of_key<K> ordered_bits(K key) noexcept {
  using bits = bits_of_key<K>;
  if constexpr (fraction_key<K>) {
    constexpr bits sign = bits{1} << (8 * sizeof(K) - 1);
    const bits b = std::bit_cast<bits>(key);
    const bits inverted = static_cast<bits>(-static_cast<bits>(b >> (8 * sizeof(K) - 1))) | sign;
    return b == sign ? sign : b ^ inverted;
  } else if constexpr (std::is_enum_v<K>) {
    return ordered_bits(static_cast<std::underlying_type_t<K>>(key));
  } else if constexpr (std::is_signed_v<K>) {
    return static_cast<bits>(static_cast<bits>(key) ^ (bits{1} << (8 * sizeof(bits) - 1)));
  } else {
    return static_cast<bits>(key);
  }
}

}  // namespace sennit::detail
