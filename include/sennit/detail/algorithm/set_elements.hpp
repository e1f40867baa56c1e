// What packing does with a block of two sorted sequences: which elements a union, an intersection or a difference has.
#pragma once

#include <sennit/detail/algorithm/co_rank.hpp>
#include <sennit/detail/algorithm/frontier.hpp>
#include <sennit/detail/algorithm/keeping.hpp>
#include <sennit/detail/algorithm/marks.hpp>
#include <sennit/detail/algorithm/packing.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <vector>

namespace sennit::detail {

// The steps of a merge. Each takes the first left element, the first right one, or a pair of equal ones.
enum step_of_two : mark_word { left_alone = 1, right_alone = 2, pair_of_equals = 3 };
inline constexpr position steps_in_word = marks_in_word / 2;

// A word of equal steps.
constexpr mark_word word_of(step_of_two step) { return ~mark_word{0} / 3 * step; }

// Which steps of a word have an element in the result: bits at even places.
struct union_of_two {
  static constexpr mark_word kept(mark_word steps) { return (steps | steps >> 1U) & word_of(left_alone); }
};
struct intersection_of_two {
  static constexpr mark_word kept(mark_word steps) { return steps & steps >> 1U & word_of(left_alone); }
};
struct difference_of_two {
  static constexpr mark_word kept(mark_word steps) { return steps & ~(steps >> 1U) & word_of(left_alone); }
};
struct symmetric_difference_of_two {
  static constexpr mark_word kept(mark_word steps) { return (steps ^ steps >> 1U) & word_of(left_alone); }
};
template <class Operation>
inline constexpr bool keeps_left = Operation::kept(left_alone) != 0;
template <class Operation>
inline constexpr bool keeps_right = Operation::kept(right_alone) != 0;
template <class Operation>
inline constexpr bool keeps_pairs = Operation::kept(pair_of_equals) != 0;

template <class It>
inline constexpr bool has_small_elements =
    std::is_trivially_copyable_v<std::iter_value_t<It>> && sizeof(std::iter_value_t<It>) <= 16;

// A block is the elements between two cuts. Its marks are two bits for each step, until one sequence has ended. So no
// element is compared again when its place is known. A processor could not predict a branch for each step; where steps
// are equal for long, a word of them is tried at once.
template <class Operation, class Left, class Right, class Out, class Order>
class set_elements {
  static constexpr bool small = has_small_elements<Left> && has_small_elements<Right>;

 public:
  using value = std::iter_value_t<Left>;
  static constexpr bool in_place = false;
  static constexpr bool first_kept = false;
  static constexpr std::size_t element_bytes = sizeof(value);
  static constexpr bool assigns = destination<std::vector<value>&, std::iter_reference_t<Left>> &&
                                  destination<std::vector<value>&, std::iter_reference_t<Right>>;

  set_elements(const elements<Left>& left, const elements<Right>& right, const packed_output<Out>& out,
               const Order& order)
      : left_(left), right_(right), out_(out), order_(order) {}

  // A step has one element at least, and a block that begins with one more has a pair there.
  static position words_for(position n) { return header + words_for_marks(2 * n); }

  marked_block mark(mark_word* words, position from, position to) const {
    const Order order = order_;
    const cut_of_two begin = cut_between_pairs(from, left_, right_, order);
    const cut_of_two end = cut_between_pairs(to, left_, right_, order);
    Left l = left_.at(begin.left);
    Right r = right_.at(begin.right);
    const Left l_end = left_.at(end.left);
    const Right r_end = right_.at(end.right);

    mark_word* word = words + header;
    mark_word last = 0;
    position kept = 0;
    const auto keep = [&](mark_word steps) {
      *word++ = last = steps;
      kept += static_cast<position>(std::popcount(Operation::kept(steps)));
    };
    mark_word steps = 0;
    position marked = 0;
    while (l != l_end && r != r_end) {
      position more = static_cast<position>(std::min<std::ptrdiff_t>(l_end - l, r_end - r));
      if (marked == 0 && more >= steps_in_word && goes_on_as(last, l, r, order)) {
        if (last != word_of(right_alone)) l += word_steps;
        if (last != word_of(left_alone)) r += word_steps;
        keep(last);
        continue;
      }
      more = std::min(more, steps_in_word - marked);
      marked += more;
      for (; more != 0; --more) {
        const mark_word step = take(l, r, order);
        steps = steps >> 2U | step << (marks_in_word - 2);
      }
      if (marked == steps_in_word) {
        keep(steps);
        marked = 0;
      }
    }
    if (marked != 0) keep(steps >> (marks_in_word - 2 * marked));
    if constexpr (keeps_left<Operation>) kept += static_cast<position>(l_end - l);
    if constexpr (keeps_right<Operation>) kept += static_cast<position>(r_end - r);

    words[0] = begin.left;
    words[1] = end.left;
    words[2] = begin.right;
    words[3] = end.right;
    words[4] = kept;
    return {kept};
  }

  void place(const mark_word* words, position from, position to, const frontier::block_record& block) const {
    out_.expect_room(block.offset, block.kept);
    transfer(words, from, to, out_.to.at(block.offset));
  }
  template <class To>
  void transfer(const mark_word* words, position, position, To out) const {
    Left l = left_.at(words[0]);
    const Left l_end = left_.at(words[1]);
    Right r = right_.at(words[2]);
    const Right r_end = right_.at(words[3]);
    // Within the block's output, what is written too early is overwritten.
    constexpr bool without_branch = small && std::random_access_iterator<To>;
    [[maybe_unused]] To end{};
    if constexpr (without_branch) end = out + static_cast<std::iter_difference_t<To>>(words[4]);

    for (const mark_word* word = words + header; l != l_end && r != r_end; ++word) {
      if (copies_word(*word, l, r, out)) continue;
      for (mark_word steps = *word; steps != 0; steps >>= 2U) {
        const bool takes_left = (steps & left_alone) != 0;
        const bool takes_right = (steps & right_alone) != 0;
        const bool keeps = (Operation::kept(steps) & 1U) != 0;
        if constexpr (without_branch) {
          if (out == end) return;
          copy_one(takes_left, l, r, out);
          out += keeps;
        } else if (keeps) {
          copy_one(takes_left, l, r, out);
          ++out;
        }
        l += takes_left;
        r += takes_right;
      }
    }
    if constexpr (keeps_left<Operation>) out = std::ranges::copy(l, l_end, out).out;
    if constexpr (keeps_right<Operation>) out = std::ranges::copy(r, r_end, out).out;
  }

 private:
  static constexpr position header = 5;
  static constexpr std::ptrdiff_t word_steps = steps_in_word;

  static mark_word take(Left& l, Right& r, const Order& order) {
    if constexpr (small) {
      const bool right = !order.left_first(l, r);
      const bool left = !order.right_first(l, r);
      l += left;
      r += right;
      return static_cast<mark_word>(left) | static_cast<mark_word>(right) << 1U;
    } else {
      if (order.left_first(l, r)) {
        ++l;
        return left_alone;
      }
      const bool alone = order.right_first(l, r);
      ++r;
      if (!alone) ++l;
      return alone ? right_alone : pair_of_equals;
    }
  }

  // Whether the steps of the next word are equal to all those of the last one.
  static bool goes_on_as(mark_word last, const Left& l, const Right& r, const Order& order) {
    if (last == word_of(left_alone)) return order.left_first(l + (word_steps - 1), r);
    if (last == word_of(right_alone)) return order.right_first(l, r + (word_steps - 1));
    if constexpr (small) {
      if (last != word_of(pair_of_equals)) return false;
      bool differ = false;
      for (std::ptrdiff_t i = 0; i != word_steps; ++i)
        differ |= order.left_first(l + i, r + i) | order.right_first(l + i, r + i);
      return !differ;
    }
    return false;
  }

  // Copies a word of equal steps at once.
  template <class To>
  static bool copies_word(mark_word steps, Left& l, Right& r, To& out) {
    if (steps == word_of(left_alone)) {
      if constexpr (keeps_left<Operation>) out = std::ranges::copy(l, l + word_steps, out).out;
      l += word_steps;
    } else if (steps == word_of(right_alone)) {
      if constexpr (keeps_right<Operation>) out = std::ranges::copy(r, r + word_steps, out).out;
      r += word_steps;
    } else if (steps == word_of(pair_of_equals)) {
      if constexpr (keeps_pairs<Operation>) out = std::ranges::copy(l, l + word_steps, out).out;
      l += word_steps;
      r += word_steps;
    } else {
      return false;
    }
    return true;
  }

  template <class To>
  SENNIT_INLINE static void copy_one(bool from_left, const Left& l, const Right& r, const To& out) {
    if constexpr (!keeps_right<Operation>) {
      *out = *l;
    } else if constexpr (std::same_as<Left, Right>) {
      *out = *(from_left ? l : r);
    } else if (from_left) {
      *out = *l;
    } else {
      *out = *r;
    }
  }

  const elements<Left> left_;
  const elements<Right> right_;
  const packed_output<Out> out_;
  const Order order_;
};

}  // namespace sennit::detail
