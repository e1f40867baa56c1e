// SPDX-License-Identifier: Apache-2.0
// The hashes of keys.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/keys.hpp>
#include <sennit/detail/mix.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sennit::detail {

// A hash whose last bits are those of `h`. Neighbors in a grid, whose hashes often differ in the last bits
// only, are then in the same line of number_table.
SENNIT_INLINE constexpr std::uint64_t mix_above_last_bits(std::uint64_t h) noexcept {
  constexpr std::uint64_t last_bits = 7;
  return (mix(h & ~last_bits) & ~last_bits) | (h & last_bits);
}

// Of keys without gaps. The last bytes come last, so that neighbors differ in the last bits only, as integers do.
template <class Key>
SENNIT_INLINE std::uint64_t hash_of_bytes(const Key& k) noexcept {
  std::uint64_t h = 0;
  for (std::size_t at = 0; at < sizeof(Key); at += sizeof(std::uint64_t)) {
    std::uint64_t part = 0;
    std::memcpy(&part, reinterpret_cast<const unsigned char*>(&k) + at,
                std::min(sizeof part, sizeof(Key) - at));
    h = mix(h) ^ part;
  }
  return h;
}

// Keys that are equal only if all of their parts are: no other == can be meant.
template <class Key>
inline constexpr bool structural_key = integral_key<Key>;
template <class Part, std::size_t Size>
inline constexpr bool structural_key<std::array<Part, Size>> = structural_key<Part>;
template <class First, class Second>
inline constexpr bool structural_key<std::pair<First, Second>> =
    structural_key<First> && structural_key<Second>;
template <class... Parts>
inline constexpr bool structural_key<std::tuple<Parts...>> = (structural_key<Parts> && ...);

template <class Key>
concept has_standard_hash = std::is_default_constructible_v<std::hash<Key>> && requires(const Key& k) {
  { std::hash<Key>()(k) } -> std::convertible_to<std::size_t>;
};

// Sennit's own hash. It needs no std::hash for tuples, which have none.
template <class Key>
struct key_hash {
  SENNIT_INLINE std::uint64_t operator()(const Key& k) const {
    return mix_above_last_bits(std::hash<Key>()(k));
  }
};
template <class Key>
  requires(integral_key<Key>)
struct key_hash<Key> {
  SENNIT_INLINE std::uint64_t operator()(Key k) const noexcept {
    return mix_above_last_bits(static_cast<std::uint64_t>(k));
  }
};
template <class Key>
  requires(tuple_key<Key> && !has_standard_hash<Key>)
struct key_hash<Key> {
  SENNIT_INLINE std::uint64_t operator()(const Key& k) const {
    std::uint64_t h = 0;
    std::apply(
        [&](const auto&... parts) {
          ((h = mix(h) ^ key_hash<std::remove_cvref_t<decltype(parts)>>()(parts)), ...);
        },
        k);
    return h;
  }
};

// The hash that a graph takes for its keys, given the user's or void. A hash is mixed unless it says that it
// is avalanching, as Boost has it: that all of its bits depend on all bits of the key.
template <class Key, class Hash>
struct hash_of_graph {
  SENNIT_INLINE std::uint64_t operator()(const Key& k) const {
    const auto h = static_cast<std::uint64_t>(Hash()(k));
    if constexpr (requires { typename Hash::is_avalanching; }) return h;
    return mix_above_last_bits(h);
  }
};
template <class Key, class Hash>
  requires(std::is_void_v<Hash> || structural_key<Key>)
struct hash_of_graph<Key, Hash> : key_hash<Key> {};

}  // namespace sennit::detail
