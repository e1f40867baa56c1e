// SPDX-License-Identifier: Apache-2.0
// Equality with a value, and the search for a number among numbers.
#pragma once

#include <sennit/detail/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace sennit::detail {

template <class T>
struct equal_to_value {
  const T& value;

  template <class V>
  SENNIT_INLINE bool operator()(V&& element) const {
    return static_cast<bool>(std::forward<V>(element) == value);
  }
};

template <class F>
inline constexpr bool equality_with_number = false;
template <class T>
inline constexpr bool equality_with_number<equal_to_value<T>> = std::is_arithmetic_v<T>;

// Numbers of 64 bits are left out: GCC 12 makes slower code of them.
template <class It, class F, class Proj>
concept number_among_numbers =
    equality_with_number<std::remove_const_t<F>> && std::same_as<std::remove_const_t<Proj>, std::identity> &&
    std::contiguous_iterator<It> && std::is_arithmetic_v<std::iter_value_t<It>> &&
    sizeof(std::iter_value_t<It>) <= 4;

// The first of [begin, end) that is equal to the value. Goes over blocks without a branch for each element, so that
// compilers vectorize the loop over a block: the mask has as many bits as an element.
template <std::contiguous_iterator It, class T>
SENNIT_INLINE It first_equal(const It begin, const It end, const T value) {
  constexpr std::size_t size = sizeof(*begin);
  constexpr std::ptrdiff_t block = 128 / static_cast<std::ptrdiff_t>(size);
  using mask = std::conditional_t<size == 1, std::uint8_t,
                                  std::conditional_t<size == 2, std::uint16_t, std::uint32_t>>;
  const auto* i = std::to_address(begin);
  std::ptrdiff_t left = end - begin;
  for (; left >= block; left -= block, i += block) {
    mask any = 0;
    for (std::ptrdiff_t k = 0; k < block; ++k) any |= i[k] == value ? static_cast<mask>(~mask{0}) : mask{0};
    if (any != 0) break;
  }
  for (; left != 0 && !(*i == value); --left) ++i;
  return end - left;
}

}  // namespace sennit::detail
