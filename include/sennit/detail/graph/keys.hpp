// SPDX-License-Identifier: Apache-2.0
// The numbers of a graph's nodes for their keys, and the keys for the numbers.
#pragma once

#include <sennit/detail/config.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sennit::detail {

template <class Key>
concept integral_key = std::integral<Key> || std::is_enum_v<Key>;

template <class Key>
concept tuple_key = requires { std::tuple_size<Key>::value; };

template <class Key>
concept literal_key =
    std::same_as<std::decay_t<const Key&>, const char*> || std::same_as<std::decay_t<const Key&>, char*>;

template <class Key>
constexpr std::size_t rank_of() {
  if constexpr (tuple_key<Key>) return std::tuple_size_v<Key>;
  return 1;
}

// Divides numbers below 2^32 by the same number repeatedly.
class divisor {
 public:
  constexpr divisor() = default;
  constexpr explicit divisor(std::uint32_t d) noexcept
      : d_(d), inverse_(d > 1 ? ~std::uint64_t{0} / d + 1 : 0) {}
  struct result {
    std::uint32_t quotient;
    std::uint32_t remainder;
  };
  SENNIT_INLINE constexpr result divide(std::uint32_t n) const noexcept {
    __extension__ using wide = unsigned __int128;
    const auto q = d_ > 1 ? static_cast<std::uint32_t>((wide{inverse_} * n) >> 64) : n;
    return {q, n - q * d_};
  }

 private:
  std::uint32_t d_ = 1;
  std::uint64_t inverse_ = 0;
};

// Called if a node's predecessors differ from an earlier answer.
SENNIT_EXPORT [[noreturn]] SENNIT_COLD void throw_other_answer(const std::string& key);
// Called if the range of a node's predecessors has more or fewer keys than its size() says.
SENNIT_EXPORT [[noreturn]] SENNIT_COLD void throw_other_count(const std::string& key, std::size_t size);

}  // namespace sennit::detail
