// SPDX-License-Identifier: Apache-2.0
// The sequences of algorithms: n values, given by two integers, two iterators, an iterator and a number, or
// a range; and the destinations of results.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <concepts>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace sennit::detail {

template <class First, class Last>
concept integer_bounds = std::integral<First> && std::integral<Last> && sizeof(First) <= sizeof(position) &&
                         sizeof(Last) <= sizeof(position);

// The type for the integers between two bounds: the common type, as in a plain loop. If that type is
// unsigned and a bound is signed, a type with negative numbers is used instead. For 64 bits there is no such
// type: a negative index is then represented modulo 2^64, which is enough for a body that takes a signed
// type.
template <class First, class Last>
struct index_between {
  using common = std::common_type_t<First, Last>;
  static constexpr bool loses_sign =
      std::is_unsigned_v<common> && (std::is_signed_v<First> || std::is_signed_v<Last>);
  using type = std::conditional_t<loses_sign && sizeof(common) < sizeof(std::int64_t), std::int64_t, common>;
};
template <class First, class Last>
  requires integer_bounds<First, Last>
using index = typename index_between<First, Last>::type;

// The number of integers in [first, last). Bounds keep the signs that they have before any conversion.
template <class First, class Last>
  requires integer_bounds<First, Last>
constexpr position count(First first, Last last) noexcept {
  const bool none = [&] {
    if constexpr (std::is_signed_v<First> == std::is_signed_v<Last>) {
      return first >= last;
    } else if constexpr (std::is_signed_v<First>) {
      return first >= 0 && static_cast<std::make_unsigned_t<First>>(first) >= last;
    } else {
      return last <= 0 || first >= static_cast<std::make_unsigned_t<Last>>(last);
    }
  }();
  return none ? 0 : static_cast<position>(last) - static_cast<position>(first);
}

// The integers from `first` on. A cursor is an integer, so that loops over them are plain counted loops.
template <std::integral I>
struct integers {
  using cursor = I;
  using value = I;
  using element = I;

  SENNIT_INLINE cursor at(position p) const noexcept {
    using offset = std::make_unsigned_t<I>;
    return static_cast<I>(static_cast<offset>(static_cast<offset>(first) + static_cast<offset>(p)));
  }
  SENNIT_INLINE static value read(cursor i) noexcept { return i; }

  I first;
  position size;
};

template <std::random_access_iterator It>
struct elements {
  using cursor = It;
  using value = std::iter_reference_t<It>;
  using element = std::iter_value_t<It>;

  SENNIT_INLINE cursor at(position p) const { return first + static_cast<std::iter_difference_t<It>>(p); }
  SENNIT_INLINE static value read(const cursor& i) { return *i; }

  It first;
  position size;
};

// Whether a loop over [begin, end) continues at `i`: as long as the gate is open. Unsigned integers may wrap
// around.
template <class Cursor, class Gate>
SENNIT_INLINE bool goes_on(const Cursor& i, const Cursor& begin, const Cursor& end, Gate gate) {
  if constexpr (std::unsigned_integral<Cursor>) {
    return static_cast<Cursor>(i - begin) < (gate.shut() ? Cursor{0} : static_cast<Cursor>(end - begin));
  } else {
    return i < (gate.shut() ? begin : end);
  }
}

template <class First, class Last>
concept two_iterators = std::random_access_iterator<First> && std::sized_sentinel_for<Last, First>;
template <class First, class Count>
concept counted_elements =
    std::random_access_iterator<First> && std::integral<Count> && !std::same_as<Count, bool>;
template <class First, class Last>
concept iterator_bounds = two_iterators<First, Last> || counted_elements<First, Last>;
template <class First, class Last>
concept bounds = integer_bounds<First, Last> || iterator_bounds<First, Last>;
template <class R>
concept countable_range = std::ranges::random_access_range<R> && std::ranges::sized_range<R>;

// If the last is below the first, or the number of elements is negative, the sequence is empty.
template <class First, class Last>
  requires integer_bounds<First, Last>
auto sequence_of(First first, Last last) noexcept {
  using I = index<First, Last>;
  return integers<I>{static_cast<I>(first), count(first, last)};
}
template <class First, class Last>
  requires two_iterators<First, Last>
auto sequence_of(First first, Last last) {
  const auto size = last - first;
  return elements<First>{std::move(first), size > 0 ? static_cast<position>(size) : 0};
}
template <class First, class Count>
  requires counted_elements<First, Count>
auto sequence_of(First first, Count n) {
  return elements<First>{std::move(first), n > 0 ? static_cast<position>(n) : 0};
}
template <countable_range R>
auto sequence_of(R& range) {
  return elements<std::ranges::iterator_t<R>>{std::ranges::begin(range),
                                              static_cast<position>(std::ranges::size(range))};
}

template <class... Bounds>
using sequence_for = decltype(sequence_of(std::declval<Bounds&>()...));

// Where results go: an iterator with enough room, or a range.
template <class D>
concept destination_iterator = std::random_access_iterator<std::remove_cvref_t<D>>;
template <class D>
concept destination_range = !destination_iterator<D> && countable_range<D>;

template <class D>
struct destination_of;
template <destination_iterator D>
struct destination_of<D> {
  using iterator = std::remove_cvref_t<D>;
};
template <destination_range D>
struct destination_of<D> {
  using iterator = std::ranges::iterator_t<D>;
};

// Neighboring elements may be written at the same time. Elements of a std::vector<bool>, and of other
// containers with a proxy for each bool, share words, so they may not.
template <class It>
concept writable_in_parallel =
    !(std::same_as<std::iter_value_t<It>, bool> && std::is_class_v<std::iter_reference_t<It>> &&
      std::is_assignable_v<std::iter_reference_t<It>, bool>);

template <class D, class V>
concept destination = (destination_iterator<D> || destination_range<D>) &&
                      writable_in_parallel<typename destination_of<D>::iterator> &&
                      std::indirectly_writable<typename destination_of<D>::iterator, V>;

[[noreturn]] SENNIT_COLD inline void fail_for_room(const char* algorithm, position room, position needed) {
  fail<std::invalid_argument>("sennit::" + std::string(algorithm) + ": " + std::to_string(needed) +
                              " elements do not fit into a destination of " + std::to_string(room) +
                              "; resize it before the call");
}

// The begin of the destination. Throws std::invalid_argument for a range of fewer than n elements.
template <class D>
auto begin_of(D& out, position n, const char* algorithm) {
  if constexpr (destination_iterator<D>) {
    return out;
  } else {
    const auto room = static_cast<position>(std::ranges::size(out));
    if (room < n) fail_for_room(algorithm, room, n);
    return std::ranges::begin(out);
  }
}

}  // namespace sennit::detail
