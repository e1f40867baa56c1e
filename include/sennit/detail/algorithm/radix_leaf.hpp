// SPDX-License-Identifier: Apache-2.0
// A stable radix sort of as many elements as fit in a cache, on one strand.
#pragma once

#include <sennit/detail/algorithm/rescue.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sennit::detail {

// Key gives the bits of an element's key. Elements are copied, at the cost of their bytes, and copying throws nothing.
template <class T, class Key>
class radix_leaf {
 public:
  using bits = std::invoke_result_t<const Key&, T&>;

  // Up to so many elements an insertion sort is faster.
  static constexpr std::size_t few = 24;

  // Sorts data[0, n), with other[0, n) as memory. The result is in `other` if to_other, and else in `data`.
  // If a key throws, the elements are there, too, in some order. Precondition: n < 2^32.
  static void sort(T* data, T* other, std::size_t n, bool to_other, const Key& key) {
    sort_with<most_digits>(data, other, n, to_other, key);
  }

  // Whether each of n elements descends to the one behind it, or none does. Equal keys do not descend, as they keep their
  // order. A block is looked at as a whole: so the compiler makes vectors of it.
  static bool is_in_order(T* data, std::size_t n, bool descends, const Key& key) {
    // Without a vector, a key is better taken once than twice.
    if constexpr (sizeof(bits) > 4) {
      bits before = key(data[0]);
      for (std::size_t i = 1; i <= n; ++i) {
        const bits k = key(data[i]);
        if ((k < before) != descends) return false;
        before = k;
      }
      return true;
    }
    constexpr std::size_t block = 128;
    const auto differs = [&](std::size_t i) {
      return static_cast<bits>((key(data[i + 1]) < key(data[i])) != descends);
    };
    std::size_t i = 0;
    for (; n - i >= block; i += block) {
      bits some = 0;
      for (std::size_t k = 0; k != block; ++k) some |= differs(i + k);
      if (some != 0) return false;
    }
    for (; i != n; ++i) {
      if (differs(i) != 0) return false;
    }
    return true;
  }

 private:
  static constexpr unsigned most_digits = 11;
  static constexpr unsigned passes = 3;

  template <unsigned Digits>
  static void sort_with(T* data, T* other, std::size_t n, bool to_other, const Key& key) {
    T* const target = to_other ? other : data;
    if (n <= few) return insert_all(data, target, n, key);
    rescue rest{data, target, n};
    const bool descends = key(data[1]) < key(data[0]);
    if (is_in_order(data, n - 1, descends, key)) {
      if (descends) std::reverse(data, data + n);
      return;
    }
    bits lowest = key(data[0]);
    bits highest = lowest;
    for (std::size_t i = 1; i < n; ++i) {
      const bits k = key(data[i]);
      lowest = std::min(lowest, k);
      highest = std::max(highest, k);
    }
    rest.n = 0;
    const auto width = static_cast<unsigned>(std::bit_width(static_cast<bits>(highest - lowest)));
    const auto size = static_cast<unsigned>(std::bit_width(n));
    const unsigned digit = std::min(size - 2, Digits);
    if (width <= passes * digit) {
      const auto sort = width <= digit       ? from_the_last_digit<Digits, 1>
                        : width <= 2 * digit ? from_the_last_digit<Digits, 2>
                                             : from_the_last_digit<Digits, 3>;
      sort(data, other, n, to_other, key, lowest, width);
    } else {
      from_the_first_digit<Digits>(data, other, n, to_other, key, lowest, width, std::min(size - 3, Digits));
    }
  }

  static void insert_all(T* data, T* to, std::size_t n, const Key& key) {
    bits keys[few];
    rescue rest{data, to, n};
    for (std::size_t i = 0; i < n; ++i) {
      T element = data[i];
      const bits k = key(element);
      std::size_t at = i;
      for (; at != 0 && k < keys[at - 1]; --at) {
        to[at] = to[at - 1];
        keys[at] = keys[at - 1];
      }
      to[at] = element;
      keys[at] = k;
    }
    rest.n = 0;
  }

  // Makes counts into the places where buckets begin.
  static void add_up(std::uint32_t* counts, std::size_t buckets) noexcept {
    std::uint32_t sum = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
      const std::uint32_t count = counts[b];
      counts[b] = sum;
      sum += count;
    }
  }

  template <unsigned Digits, unsigned Passes>
  static void from_the_last_digit(T* data, T* other, std::size_t n, bool to_other, const Key& key,
                                  bits lowest, unsigned width) {
    const unsigned digit = (width + Passes - 1) / Passes;
    const std::size_t buckets = std::size_t{1} << digit;
    const bits mask = static_cast<bits>(buckets - 1);
    std::uint32_t places[Passes << Digits];
    std::fill_n(places, Passes * buckets, 0U);
    rescue rest{data, to_other ? other : data, n};
    for (std::size_t i = 0; i < n; ++i) {
      bits k = static_cast<bits>(key(data[i]) - lowest);
      for (unsigned pass = 0; pass < Passes; ++pass, k >>= digit) ++places[pass * buckets + (k & mask)];
    }
    T* from = data;
    T* to = other;
    for (unsigned pass = 0; pass < Passes; ++pass) {
      std::uint32_t* place = places + pass * buckets;
      add_up(place, buckets);
      for (std::size_t i = 0; i < n; ++i) {
        T element = from[i];
        const bits k = static_cast<bits>(key(element) - lowest) >> (pass * digit);
        to[place[k & mask]++] = element;
      }
      std::swap(from, to);
      rest.from = from;
    }
  }

  template <unsigned Digits>
  static void from_the_first_digit(T* data, T* other, std::size_t n, bool to_other, const Key& key,
                                   bits lowest, unsigned width, unsigned digit) {
    const unsigned shift = width - digit;
    const std::size_t buckets = std::size_t{1} << digit;
    std::uint32_t places[std::size_t{1} << Digits];
    std::fill_n(places, buckets, 0U);
    T* const target = to_other ? other : data;
    rescue rest{data, target, n};
    for (std::size_t i = 0; i < n; ++i) ++places[static_cast<bits>(key(data[i]) - lowest) >> shift];
    add_up(places, buckets);
    for (std::size_t i = 0; i < n; ++i) {
      T element = data[i];
      other[places[static_cast<bits>(key(element) - lowest) >> shift]++] = element;
    }
    // A place is now where its bucket ends.
    std::size_t begin = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
      const std::size_t end = places[b];
      rest.from = other + end;
      rest.to = target + end;
      rest.n = n - end;
      // The counters of inner levels are few, as these may be many.
      sort_with<std::min(Digits, 8U)>(other + begin, data + begin, end - begin, !to_other, key);
      begin = end;
    }
  }
};

}  // namespace sennit::detail
