// Marks: a bit for each element of a block.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace sennit::detail {

using mark_word = std::uint64_t;
inline constexpr position marks_in_word = 64;

constexpr position words_for_marks(position n) { return (n + marks_in_word - 1) / marks_in_word; }

// A word of marks from as many bytes, each of which is 0 or 1.
SENNIT_INLINE mark_word word_of_marks(const unsigned char* bytes) {
  mark_word word = 0;
  for (unsigned part = 0; part != 8; ++part) {
    mark_word eight = 0;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(&eight, bytes + 8 * part, 8);
      // Byte i is shifted to bit 56 + i. No two bytes meet in one bit, so nothing is carried.
      eight = (eight * 0x0102040810204080U) >> 56U;
    } else {
      for (unsigned i = 0; i != 8; ++i) eight |= mark_word{bytes[8 * part + i]} << i;
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
  unsigned char bytes[marks_in_word];
  position marked = 0;
  for (; end - begin >= static_cast<step>(marks_in_word); begin += static_cast<step>(marks_in_word)) {
    for (unsigned i = 0; i != marks_in_word; ++i) bytes[i] = keep(begin + static_cast<step>(i));
    *words = word_of_marks(bytes);
    marked += static_cast<position>(std::popcount(*words++));
  }
  if (begin != end) {
    std::memset(bytes, 0, sizeof bytes);
    for (unsigned char* byte = bytes; begin != end; ++begin, ++byte) *byte = keep(begin);
    *words = word_of_marks(bytes);
    marked += static_cast<position>(std::popcount(*words));
  }
  return marked;
}

// Calls visit(from, to) for runs of marked elements, or of the others, in order. In a word with few gaps the runs are as long as
// can be, because there the elements between two gaps are copied at once.
template <bool Marked = true, class Visit>
SENNIT_INLINE void for_marked_runs(const mark_word* words, position n, Visit&& visit) {
  constexpr int few_gaps = 4;
  for (position base = 0; base < n; base += marks_in_word) {
    mark_word left = *words++;
    if constexpr (!Marked) {
      left = ~left;
      if (n - base < marks_in_word) left &= ~(~mark_word{0} << (n - base));
    }
    if (std::popcount(left) < static_cast<int>(marks_in_word) - few_gaps) {
      for (; left != 0; left &= left - 1) {
        const position at = base + static_cast<position>(std::countr_zero(left));
        visit(at, at + 1);
      }
    } else {
      while (left != 0) {
        const int from = std::countr_zero(left);
        const int length = std::countr_one(left >> from);
        visit(base + static_cast<position>(from), base + static_cast<position>(from + length));
        left =
            from + length == static_cast<int>(marks_in_word) ? 0 : left & (~mark_word{0} << (from + length));
      }
    }
  }
}

}  // namespace sennit::detail
