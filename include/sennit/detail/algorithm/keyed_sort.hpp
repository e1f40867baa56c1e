// SPDX-License-Identifier: Apache-2.0
// Sorts by integer keys: a radix sort of the elements, or of their keys and positions.
#pragma once

#include <sennit/detail/algorithm/in_place_sort.hpp>
#include <sennit/detail/algorithm/integer_key.hpp>
#include <sennit/detail/algorithm/permute.hpp>
#include <sennit/detail/algorithm/radix_sort.hpp>
#include <sennit/detail/algorithm/raw_memory.hpp>
#include <sennit/detail/invoke.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace sennit::detail {

template <class It, class Proj>
using key_of = std::remove_cvref_t<std::invoke_result_t<Proj&, std::iter_value_t<It>&>>;
template <class It, class Proj>
concept keyed_elements =
    std::permutable<It> && std::indirectly_unary_invocable<Proj, It> && integer_key<key_of<It, Proj>>;

// What the key function says of an element, as bits that have the same order, or the opposite one.
template <class Proj, bool Descending>
struct key_bits {
  Proj& proj;
  template <class E>
  SENNIT_INLINE auto operator()(E&& element) const {
    using key = std::remove_cvref_t<std::invoke_result_t<Proj&, E>>;
    const auto bits = ordered_bits<key>(detail::invoke(proj, std::forward<E>(element)));
    return Descending ? static_cast<decltype(bits)>(~bits) : bits;
  }
};

template <class Engine, class It, class Key>
class keyed_sort {
 public:
  keyed_sort(It first, std::size_t n, const Key& key) : first_(first), size_(n), key_(key) {}

  void run() {
    if constexpr (is_copied) {
      sort_copies(std::to_address(first_));
    } else {
      sort_positions();
    }
  }

 private:
  using T = std::iter_value_t<It>;
  // A copy of such an element costs as little as one of a key and a position.
  static constexpr bool is_copied =
      std::contiguous_iterator<It> && std::is_trivially_copy_constructible_v<T> &&
      std::is_trivially_destructible_v<T> && std::copyable<T> && sizeof(T) <= 32;

  It at(std::size_t i) const { return first_ + static_cast<std::iter_difference_t<It>>(i); }

  void sort_copies(T* data) {
    constexpr std::size_t nearby_bytes = 2048;
    if (size_ <= radix_leaf<T, Key>::few) {
      radix_leaf<T, Key>::sort(data, data, size_, false, key_);
    } else if (size_ <= nearby_bytes / sizeof(T)) {
      alignas(T) std::byte nearby[nearby_bytes];
      radix_leaf<T, Key>::sort(data, reinterpret_cast<T*>(nearby), size_, false, key_);
    } else if (const raw_memory<T> buffer(size_); buffer.get() != nullptr) {
      radix_sort<Engine, T, Key>(data, buffer.get(), key_).run(size_);
    } else {
      sort_in_place();
    }
  }

  void sort_in_place() {
    in_place_sort<Engine>(first_, at(size_), [this](auto&& a, auto&& b) { return key_(a) < key_(b); });
  }

  // Calls the key function once for each element.
  void sort_positions() {
    const raw_memory<keyed_position> positions(size_);
    const raw_memory<T> buffer(size_);
    if (positions.get() == nullptr || buffer.get() == nullptr) return sort_in_place();
    keyed_position* const order = positions.get();
    Engine::for_positions(size_,
                          [&](position from, position to) {
                            for (position i = from; i != to; ++i)
                              std::construct_at(order + i, key_(*at(static_cast<std::size_t>(i))),
                                                static_cast<std::uint64_t>(i));
                          },
                          {});
    {
      const raw_memory<keyed_position> other(size_);
      if (other.get() == nullptr) return sort_in_place();
      const position_key key;
      radix_sort<Engine, keyed_position, position_key>(order, other.get(), key).run(size_);
    }
    permute<Engine>(first_, size_, order, buffer.get());
  }

  It first_;
  std::size_t size_;
  const Key& key_;
};

// Whether a comparator is the order of integers, or the opposite one.
template <class Comp, class K>
inline constexpr bool is_less = std::same_as<Comp, std::ranges::less> || std::same_as<Comp, std::less<>> ||
                                std::same_as<Comp, std::less<K>>;
template <class Comp, class K>
inline constexpr bool is_greater = std::same_as<Comp, std::ranges::greater> ||
                                   std::same_as<Comp, std::greater<>> || std::same_as<Comp, std::greater<K>>;

// The comparisons of a sort that are those of the integers and fractions of the language, so that a radix sort has the
// same result. An enumeration may have an operator of its own.
template <class It, class Comp, class Proj>
inline constexpr bool sorted_by_digits = [] {
  if constexpr (keyed_elements<It, Proj>) {
    using K = key_of<It, Proj>;
    return !std::is_enum_v<K> && (is_less<Comp, K> || is_greater<Comp, K>);
  }
  return false;
}();

template <class Engine, class It, class Proj, bool Descending = false>
void sort_by_digits(It first, std::size_t n, Proj& proj) {
  const key_bits<Proj, Descending> key{proj};
  keyed_sort<Engine, It, key_bits<Proj, Descending>>(first, n, key).run();
}

}  // namespace sennit::detail
