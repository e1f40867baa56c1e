// SPDX-License-Identifier: Apache-2.0
// Marks: a bit for each element of a block.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace sennit::detail {

using mark_word = std::uint64_t;
inline constexpr position marks_in_word = 64;

constexpr position words_for_marks(position n) { return (n + marks_in_word - 1) / marks_in_word; }

// A word of marks from as many bytes, each of which is 0 or 1. Adds their number to `marked`. (Without an
// option for a newer processor, compilers call a function for std::popcount.)
SENNIT_INLINE mark_word word_of_marks(const unsigned char* bytes, position& marked) {
  mark_word word = 0;
  for (unsigned part = 0; part != 8; ++part) {
    std::uint64_t eight = 0;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(&eight, bytes + 8 * part, 8);
      marked += (eight * 0x0101010101010101U) >> 56U;
      // Byte i is shifted to bit 56 + i. No two bytes meet in one bit, so nothing is carried.
      eight = (eight * 0x0102040810204080U) >> 56U;
    } else {
      for (unsigned i = 0; i != 8; ++i) {
        marked += bytes[8 * part + i];
        eight |= std::uint64_t{bytes[8 * part + i]} << i;
      }
    }
    word |= eight << (8 * part);
  }
  return word;
}

// Marks those of [begin, end) that keep() accepts. It is called once for each cursor, in order. Returns the
// number of marks. The loop over a full word has a fixed length and no branch, so compilers vectorize it.
template <class Cursor, class Keep>
position set_marks(mark_word* words, Cursor begin, Cursor end, Keep&& keep) {
  using step = std::iter_difference_t<Cursor>;
  constexpr auto word = static_cast<step>(marks_in_word);
  unsigned char bytes[marks_in_word];
  position marked = 0;
  for (; end - begin >= word; begin += word) {
    for (step i = 0; i != word; ++i) bytes[i] = keep(begin + i);
    *words++ = word_of_marks(bytes, marked);
  }
  if (begin != end) {
    std::memset(bytes, 0, sizeof bytes);
    for (unsigned char* byte = bytes; begin != end; ++begin, ++byte) *byte = keep(begin);
    *words = word_of_marks(bytes, marked);
  }
  return marked;
}

// Goes over marked elements, or over the others, in order. Calls run(from, to) for elements that fill words, so
// that many are copied at once. Calls one(at) for each element elsewhere: the lengths of shorter runs could not
// be predicted.
template <bool Marked = true, class One, class Run>
SENNIT_INLINE void for_marks(const mark_word* words, position n, One&& one, Run&& run) {
  for (position base = 0; base < n; base += marks_in_word) {
    const position run_begin = base;
    while (n - base >= marks_in_word && *words == (Marked ? ~mark_word{0} : 0)) {
      base += marks_in_word;
      ++words;
    }
    if (base != run_begin) run(run_begin, base);
    if (base >= n) return;
    mark_word left = *words++;
    if constexpr (!Marked) {
      left = ~left;
      if (n - base < marks_in_word) left &= ~(~mark_word{0} << (n - base));
    }
    for (; left != 0; left &= left - 1) one(base + static_cast<position>(std::countr_zero(left)));
  }
}

}  // namespace sennit::detail
