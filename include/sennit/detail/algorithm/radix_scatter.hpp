// SPDX-License-Identifier: Apache-2.0
// One pass of a radix sort over a block of elements: what their digits are, and where elements go.
#pragma once

#include <sennit/detail/config.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace sennit::detail {

// The bucket of a key: its leading digits, from those of `lowest` to those of `highest`. Lower keys are in the first
// bucket and higher ones in the last. Between these, the keys of a bucket differ in their last `shift` bits alone.
template <class Bits>
struct radix_digit {
  radix_digit() = default;
  radix_digit(Bits lowest, Bits highest, unsigned digit_shift)
      : shift(digit_shift), first(lowest >> shift), last(highest >> shift) {
    constexpr Bits most = static_cast<Bits>(~Bits{0});
    first -= first != 0;
    last += last != (most >> shift);
    buckets = static_cast<std::size_t>(last - first) + 1;
  }
  SENNIT_INLINE std::size_t operator()(Bits key) const noexcept {
    const Bits digit = std::min(std::max(static_cast<Bits>(key >> shift), first), last);
    return static_cast<std::size_t>(digit - first);
  }
  unsigned shift = 0;
  Bits first = 0;
  Bits last = 0;
  std::size_t buckets = 1;
};

template <class T, class Key, class Bits>
void count_digits(T* data, std::size_t n, std::size_t* counts, const Key& key,
                  const radix_digit<Bits>& digit) {
  const radix_digit<Bits> digit_of = digit;
  std::fill_n(counts, digit_of.buckets, std::size_t{0});
  std::size_t before = 0;
  std::size_t run = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t d = digit_of(key(data[i]));
    if (d != before) {
      counts[before] += std::exchange(run, 0);
      before = d;
    }
    ++run;
  }
  counts[before] += run;
}

// Copies elements to where `places` says for their digits, and counts the places up. No processor foresees so many
// streams, so the next line of each is asked for while elements are still written to this one.
template <class T, class Key, class Bits>
void scatter(T* data, std::size_t n, T* to, std::size_t* places, const Key& key,
             const radix_digit<Bits>& digit) {
  constexpr std::size_t line = 64;
  const radix_digit<Bits> digit_of = digit;
  std::size_t before = 0;
  std::size_t next = places[0];
  for (std::size_t i = 0; i < n; ++i) {
    T element = data[i];
    const std::size_t d = digit_of(key(element));
    if (d != before) {
      places[before] = next;
      next = places[d];
      before = d;
    }
    T* const place = to + next++;
    __builtin_prefetch(reinterpret_cast<std::byte*>(place) + line, 1);
    *place = element;
  }
  places[before] = next;
}

}  // namespace sennit::detail
