// SPDX-License-Identifier: Apache-2.0
// Nodes whose keys are the points of a box: an array holds the nodes' states.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/key_text.hpp>
#include <sennit/detail/graph/keys.hpp>
#include <sennit/detail/graph/node.hpp>
#include <sennit/detail/graph/zeros.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace sennit::detail {

SENNIT_EXPORT [[noreturn]] SENNIT_COLD void throw_key_outside(const std::string& key,
                                                              const std::uint32_t* extents, std::size_t rank);
// The product of the extents. Throws std::length_error beyond `most_nodes`.
SENNIT_EXPORT std::uint32_t count_of_nodes(const std::uint64_t* extents, std::size_t rank);

template <class Key, std::size_t Rank>
class dense_nodes {
 public:
  using key = Key;
  struct supply {};

  explicit dense_nodes(const std::array<std::uint64_t, Rank>& extents)
      : count_(count_of_nodes(extents.data(), Rank)), states_(count_) {
    for (std::size_t d = 0; d < Rank; ++d) {
      extents_[d] = static_cast<std::uint32_t>(extents[d]);
      divisors_[d] = divisor(extents_[d]);
    }
  }

  SENNIT_INLINE node_number find_or_make(const Key& k, supply&) const { return find(k); }
  SENNIT_INLINE node_number find(const Key& k) const {
    if constexpr (tuple_key<Key>) {
      return number_of(k, std::make_index_sequence<Rank>());
    } else {
      if (!inside(k, 0)) throw_key_outside(text_of_key(k), extents_.data(), Rank);
      return static_cast<node_number>(k);
    }
  }
  SENNIT_INLINE Key key_of(node_number n) const noexcept {
    if constexpr (tuple_key<Key>) {
      std::array<std::uint32_t, Rank> parts{};
      for (std::size_t d = Rank - 1; d > 0; --d) {
        const auto [quotient, remainder] = divisors_[d].divide(n);
        parts[d] = remainder;
        n = quotient;
      }
      parts[0] = n;
      return key_from(parts, std::make_index_sequence<Rank>());
    } else {
      return static_cast<Key>(n);
    }
  }
  SENNIT_INLINE node_state& state(node_number n) noexcept { return states_[n]; }
  std::uint32_t size() const noexcept { return count_; }

 private:
  template <class Part>
  SENNIT_INLINE bool inside(Part part, std::size_t d) const noexcept {
    // A negative part becomes a number above any extent.
    return static_cast<std::uint64_t>(part) < extents_[d];
  }
  template <std::size_t... D>
  SENNIT_INLINE node_number number_of(const Key& k, std::index_sequence<D...>) const {
    using std::get;
    if (!(inside(get<D>(k), D) && ...)) throw_key_outside(text_of_key(k), extents_.data(), Rank);
    node_number n = 0;
    ((n = n * extents_[D] + static_cast<node_number>(get<D>(k))), ...);
    return n;
  }
  template <std::size_t... D>
  SENNIT_INLINE static Key key_from(const std::array<std::uint32_t, Rank>& parts,
                                    std::index_sequence<D...>) noexcept {
    return Key{static_cast<std::tuple_element_t<D, Key>>(parts[D])...};
  }

  std::array<std::uint32_t, Rank> extents_{};
  std::array<divisor, Rank> divisors_{};
  std::uint32_t count_;
  zeros<node_state> states_;
};

}  // namespace sennit::detail
