// SPDX-License-Identifier: Apache-2.0
// What packing does with a block of two sorted sequences: which elements a union, an intersection or a difference has.
#pragma once

#include <sennit/detail/algorithm/co_rank.hpp>
#include <sennit/detail/algorithm/frontier.hpp>
#include <sennit/detail/algorithm/keeping.hpp>
#include <sennit/detail/algorithm/marks.hpp>
#include <sennit/detail/algorithm/merge_from_ends.hpp>
#include <sennit/detail/algorithm/packing.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <atomic>
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

// Nobody can tell how often it is assigned to.
template <class To, class From>
inline constexpr bool is_plain_assignment =
    std::is_lvalue_reference_v<std::iter_reference_t<To>> &&
    std::is_trivially_assignable_v<std::iter_reference_t<To>, std::iter_reference_t<From>>;

template <class It>
inline constexpr bool has_small_elements =
    std::is_trivially_copyable_v<std::iter_value_t<It>> && sizeof(std::iter_value_t<It>) <= 16;

// A block is the elements between two cuts. Its marks are two bits for each step, until one sequence has ended. So no
// element is compared again when its place is known. Steps that change often are taken without a branch, as a processor
// could not predict it. Steps that rarely change are taken in runs; and if a block has nothing else, the next ones are
// packed as they are compared, where that may be.
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

  // A step has one element at least, and a block may begin with one more. If that is no pair, a sequence is not sorted.
  static position words_for(position n) { return header + words_for_marks(2 * n + 2); }

  marked_block mark(mark_word* words, position from, position to) const {
    const Order order = order_;
    const auto [begin, end] = block_between_pairs(from, to, left_, right_, order, Operation::name);
    Left l = left_.at(begin.left);
    Right r = right_.at(begin.right);
    const Left l_end = left_.at(end.left);
    const Right r_end = right_.at(end.right);

    mark_word* word = words + header;
    position kept = 0;
    position words_in_runs = 0;
    bool in_runs = false;
    while (l != l_end && r != r_end) {
      mark_word steps = 0;
      position marked = 0;
      while (marked != steps_in_word && l != l_end && r != r_end) {
        const std::ptrdiff_t most =
            std::min<std::ptrdiff_t>(std::min<std::ptrdiff_t>(l_end - l, r_end - r),
                                     static_cast<std::ptrdiff_t>(steps_in_word - marked));
        if (in_runs) {
          const run_of_steps run = take_run(l, r, most, order);
          steps |= (word_of(run.step) >> (marks_in_word - 2 * run.length)) << (2 * marked);
          marked += run.length;
        } else {
          mark_word more = 0;
          for (std::ptrdiff_t i = 0; i != most; ++i)
            more = more >> 2U | take(l, r, order) << (marks_in_word - 2);
          steps |= (more >> (marks_in_word - 2 * static_cast<position>(most))) << (2 * marked);
          marked += static_cast<position>(most);
        }
      }
      // A comparison by <= puts each of two equal elements before the other one. Then such a step takes none.
      if (union_of_two::kept(steps) != word_of(left_alone) >> (marks_in_word - 2 * marked))
        fail_for_order(Operation::name);
      *word++ = steps;
      kept += static_cast<position>(std::popcount(Operation::kept(steps)));
      in_runs = is_in_runs(steps);
      words_in_runs += in_runs;
    }
    if constexpr (keeps_left<Operation>) kept += static_cast<position>(l_end - l);
    if constexpr (keeps_right<Operation>) kept += static_cast<position>(r_end - r);
    direct_blocks_.store(
        words_in_runs * 8 >= static_cast<position>(word - (words + header)) * 7 ? blocks_until_marks : 0,
        std::memory_order_relaxed);

    words[0] = begin.left;
    words[1] = end.left;
    words[2] = begin.right;
    words[3] = end.right;
    words[4] = kept;
    return {kept};
  }

  bool is_dense() const noexcept {
    const unsigned blocks = direct_blocks_.load(std::memory_order_relaxed);
    if (blocks != 0) direct_blocks_.store(blocks - 1, std::memory_order_relaxed);
    return blocks != 0;
  }
  bool direct(position offset, position n) const noexcept { return out_.has_room(offset, n + 1); }
  marked_block pack(position from, position to, position offset, bool) const {
    const Order order = order_;
    const auto [begin, end] = block_between_pairs(from, to, left_, right_, order, Operation::name);
    Left l = left_.at(begin.left);
    Right r = right_.at(begin.right);
    const Left l_end = left_.at(end.left);
    const Right r_end = right_.at(end.right);
    const Out first = out_.to.at(offset);
    Out out = first;
    while (l != l_end && r != r_end) {
      if (order.left_first(l, r)) {
        if constexpr (keeps_left<Operation>) {
          *out = *l;
          ++out;
        }
        ++l;
      } else if (order.right_first(l, r)) {
        if constexpr (keeps_right<Operation>) {
          *out = *r;
          ++out;
        }
        ++r;
      } else {
        if constexpr (keeps_pairs<Operation>) {
          *out = *l;
          ++out;
        }
        ++l;
        ++r;
      }
    }
    if constexpr (keeps_left<Operation>) out = std::ranges::copy(l, l_end, out).out;
    if constexpr (keeps_right<Operation>) out = std::ranges::copy(r, r_end, out).out;
    return {static_cast<position>(out - first)};
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
    constexpr bool without_branch = assigns_without_branch<To>();
    [[maybe_unused]] To end = out;
    if constexpr (without_branch) end = out + static_cast<std::iter_difference_t<To>>(words[4]);

    for (const mark_word* word = words + header; l != l_end && r != r_end; ++word) {
      if (is_in_runs(*word)) {
        copy_runs(*word, l, r, out);
        continue;
      }
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

  template <class To>
  static consteval bool assigns_without_branch() {
    if constexpr (small && std::random_access_iterator<To>) {
      return is_plain_assignment<To, Left> && (!keeps_right<Operation> || is_plain_assignment<To, Right>);
    } else {
      return false;
    }
  }
  static constexpr unsigned blocks_until_marks = 16;

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

  struct run_of_steps {
    step_of_two step;
    position length;
  };
  // Takes up to `most` equal steps.
  static run_of_steps take_run(Left& l, Right& r, std::ptrdiff_t most, const Order& order) {
    std::ptrdiff_t n = 0;
    if (order.left_first(l, r)) {
      if (order.left_first(l + (most - 1), r)) {
        n = most;
      } else {
        for (n = 1; order.left_first(l + n, r); ++n) {
        }
      }
      l += n;
      return {left_alone, static_cast<position>(n)};
    }
    if (order.right_first(l, r)) {
      if (order.right_first(l, r + (most - 1))) {
        n = most;
      } else {
        for (n = 1; order.right_first(l, r + n); ++n) {
        }
      }
      r += n;
      return {right_alone, static_cast<position>(n)};
    }
    for (n = 1; n != most && !order.left_first(l + n, r + n) && !order.right_first(l + n, r + n); ++n) {
    }
    l += n;
    r += n;
    return {pair_of_equals, static_cast<position>(n)};
  }
  // A wrong prediction costs as much as some steps without a branch.
  static bool is_in_runs(mark_word steps) {
    const mark_word differ = steps ^ steps >> 2U;
    return std::popcount((differ | differ >> 1U) & word_of(left_alone)) <= 5;
  }
  template <class To>
  static void copy_runs(mark_word steps, Left& l, Right& r, To& out) {
    while (steps != 0) {
      const auto step = static_cast<step_of_two>(steps & pair_of_equals);
      const mark_word others = steps ^ word_of(step);
      const int n = std::countr_zero(others) / 2;
      steps = others == 0 ? 0 : steps >> (2 * n);
      if (step == right_alone) {
        if constexpr (keeps_right<Operation>) out = std::ranges::copy(r, r + n, out).out;
        r += n;
      } else {
        if (step == left_alone ? keeps_left<Operation> : keeps_pairs<Operation>)
          out = std::ranges::copy(l, l + n, out).out;
        l += n;
        if (step == pair_of_equals) r += n;
      }
    }
  }

  template <class To>
  SENNIT_INLINE static void copy_one(bool from_left, const Left& l, const Right& r, const To& out) {
    if constexpr (!keeps_right<Operation>) {
      *out = *l;
    } else if constexpr (std::same_as<Left, Right>) {
      *out = *chosen(from_left, r, l);
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
  // How many of the next blocks are worth packing as they are compared, to judge by the last one that was marked.
  mutable std::atomic<unsigned> direct_blocks_{0};
};

}  // namespace sennit::detail
