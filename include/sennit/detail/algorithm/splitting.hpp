// SPDX-License-Identifier: Apache-2.0
// Partitions: the elements for which a predicate holds before, or apart from, the others.
#pragma once

#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/frontier.hpp>
#include <sennit/detail/algorithm/keeping.hpp>
#include <sennit/detail/algorithm/marked_blocks.hpp>
#include <sennit/detail/algorithm/marks.hpp>
#include <sennit/detail/algorithm/packing.hpp>
#include <sennit/detail/algorithm/raw_memory.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/for_positions.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sennit::detail {

// For packing: copies elements to one of two outputs.
template <class In, class Kept, class Others, class Keep>
class split_elements {
 public:
  static constexpr bool in_place = false;
  static constexpr bool first_kept = false;
  static constexpr std::size_t element_bytes = sizeof(std::iter_value_t<In>);

  split_elements(const elements<In>& in, const packed_output<Kept>& kept, const packed_output<Others>& others,
                 const Keep& keep)
      : in_(in), kept_(kept), others_(others), keep_(keep) {}

  // Two outputs are written by marks, as a branch would choose between them.
  static constexpr bool direct(position, position) noexcept { return false; }
  static marked_block pack(position, position, position, bool) noexcept { return {}; }

  marked_block mark(mark_word* words, position from, position to) const {
    const Keep keep = keep_;
    return {set_marks(words, in_.at(from), in_.at(to), keep)};
  }
  void place(const mark_word* words, position from, position to, const frontier::block_record& block) const {
    const position others = from - block.offset;
    kept_.expect_room(block.offset, block.kept);
    others_.expect_room(others, to - from - block.kept);
    transfer_marked<copied_elsewhere>(words, to - from, in_.at(from), kept_.to.at(block.offset));
    transfer_marked<copied_elsewhere, false>(words, to - from, in_.at(from), others_.to.at(others));
  }

 private:
  const elements<In> in_;
  const packed_output<Kept> kept_;
  const packed_output<Others> others_;
  const Keep keep_;
};

// For packing: keeps elements in place, and moves the others to a buffer. Precondition: moving an element does not
// throw.
template <class It, class Keep>
class stable_split {
 public:
  static constexpr bool in_place = true;
  static constexpr bool first_kept = false;
  static constexpr std::size_t element_bytes = sizeof(std::iter_value_t<It>);

  stable_split(const elements<It>& all, const Keep& keep)
      : all_(all), keep_(keep), buffer_(static_cast<std::size_t>(all.size)) {}

  static constexpr bool direct(position, position) noexcept { return false; }
  static marked_block pack(position, position, position, bool) noexcept { return {}; }

  marked_block mark(mark_word* words, position from, position to) const {
    const Keep keep = keep_;
    return {set_marks(words, all_.at(from), all_.at(to), keep)};
  }
  void place(const mark_word* words, position from, position to,
             const frontier::block_record& block) const noexcept {
    const It begin = all_.at(from);
    using step = std::iter_difference_t<It>;
    T* other = buffer_.get() + (from - block.offset);
    const auto set_aside = [&](position at) {
      std::construct_at(other++, std::ranges::iter_move(begin + static_cast<step>(at)));
    };
    for_marks<false>(words, to - from, set_aside, [&](position first, position last) {
      for (; first != last; ++first) set_aside(first);
    });
    transfer_marked<moved_in_place>(words, to - from, begin, all_.at(block.offset));
  }

  // Moves what has been set aside from the elements of [from, to) behind the `kept` ones.
  void take_back(position from, position to, position kept) const noexcept {
    T* const begin = buffer_.get() + from;
    T* const end = buffer_.get() + to;
    std::ranges::move(begin, end, all_.at(kept + from));
    std::destroy(begin, end);
  }

 private:
  using T = std::iter_value_t<It>;

  const elements<It> all_;
  const Keep keep_;
  const needed_memory<T> buffer_;
};

// Returns the number of kept elements. Whatever is thrown, all elements are in the sequence at the end.
template <class It, class Keep>
position split_stably(const elements<It>& all, const Keep& keep, const loop_options& how) {
  if (all.size == 0) return 0;
  stable_split<It, Keep> work(all, keep);
  packing<stable_split<It, Keep>> packed(work, all.size, how);
  const position block = elements_in_block(all.size, how, sizeof(std::iter_value_t<It>));
  const position blocks = (all.size - 1) / block + 1;
  std::vector<unsigned char> taken_back(static_cast<std::size_t>(blocks));
  const auto take_back_block = [&](position b) {
    const position others = packed.evaluated() - packed.size();
    const position from = std::min(b * block, others);
    work.take_back(from, from + std::min(others - from, block), packed.size());
    taken_back[static_cast<std::size_t>(b)] = 1;
  };
  // Also called after an exception. A cancelled loop may leave blocks out.
  struct end_of_split {
    ~end_of_split() {
      packed.finish_places();
      for (position b = 0; b != taken.size(); ++b) {
        if (taken[static_cast<std::size_t>(b)] == 0) take_back(b);
      }
    }
    packing<stable_split<It, Keep>>& packed;
    std::vector<unsigned char>& taken;
    const decltype(take_back_block)& take_back;
  } const at_end{packed, taken_back, take_back_block};
  const position kept = packed.run();
  for_positions(blocks,
                [&](position from, position to) {
                  for (; from != to; ++from) take_back_block(from);
                },
                {});
  return kept;
}

// The same from left to right.
template <class It, class Keep>
position split_stably_in_order(const elements<It>& all, const Keep& keep) {
  struct returning_split {
    ~returning_split() { work.take_back(0, evaluated - record.offset, record.offset); }
    stable_split<It, Keep> work;
    position evaluated = 0;
    frontier::block_record record;
  } split{{all, keep}, 0, {}};
  for (position from = 0; from != all.size; from = split.evaluated) {
    const position to = from + std::min(all.size - from, marks_in_word);
    mark_word word = 0;
    split.record.kept = split.work.mark(&word, from, to).kept;
    split.work.place(&word, from, to, split.record);
    split.record.offset += split.record.kept;
    split.evaluated = to;
  }
  return split.record.offset;
}

// An unstable partition in place. Elements that do not belong to their side are swapped, block by block: each
// strand has a block of the left side and one of the right side, swaps the wrong elements of both as long as both
// have some, and gives back what is left of one of them. (Tsigas and Zhang, "A simple, fast parallel
// implementation of quicksort", 2003.) Elements are only swapped, so none is ever lost.
template <class It, class Keep>
class swapping_split {
 public:
  static constexpr std::size_t element_bytes = sizeof(std::iter_value_t<It>);

  swapping_split(const elements<It>& all, const Keep& keep, const loop_options& how)
      : all_(all),
        keep_(keep),
        how_(how),
        blocks_(marked_blocks_of<swapping_split>(all.size, how)),
        unclaimed_end_(blocks_.count()) {
    // No push_back() may throw in a strand that has a block.
    lefts_.reserve(static_cast<std::size_t>(unclaimed_end_));
    rights_.reserve(static_cast<std::size_t>(unclaimed_end_));
  }

  // Returns the number of kept elements, which are at the front.
  position run() {
    for_each_block<in_parallel>(blocks_.count(), how_, [&](position) { visit(); });
    // A strand that gave blocks back last may have found none for the other side.
    while (!lefts_.empty() && !rights_.empty()) visit();
    finish();
    return kept_;
  }

 private:
  // A block with elements that belong to the other side, which are marked.
  struct side {
    position block = 0;
    position word = 0;
    bool marked = false;
  };

  // A block with wrong elements, or one that is not marked yet. Returns false if there is none.
  bool claim(std::vector<side>& half_done, bool left, side& mine) {
    if (!half_done.empty()) {
      mine = half_done.back();
      half_done.pop_back();
      return true;
    }
    if (unclaimed_begin_ == unclaimed_end_) return false;
    mine = {left ? unclaimed_begin_++ : --unclaimed_end_, 0, false};
    return true;
  }

  void visit() {
    side left;
    side right;
    bool has_left = false;
    bool has_right = false;
    {
      const std::scoped_lock lock(mutex_);
      has_left = claim(lefts_, true, left);
      has_right = claim(rights_, false, right);
    }
    if (has_left) mark_wrong(left, false);
    if (has_right) mark_wrong(right, true);
    if (has_left && has_right) swap_wrong(left, right);
    const std::scoped_lock lock(mutex_);
    if (has_left && find_wrong(left)) lefts_.push_back(left);
    if (has_right && find_wrong(right)) rights_.push_back(right);
  }

  void mark_wrong(side& of, bool wanted) {
    if (of.marked) return;
    const Keep keep = keep_;
    const position from = blocks_.begin_of(of.block);
    const position to = blocks_.end_of(of.block);
    const position marked = set_marks(blocks_.marks_of(of.block), all_.at(from), all_.at(to),
                                      [&](const It& i) { return keep(i) == wanted; });
    of.marked = true;
    const std::scoped_lock lock(mutex_);
    kept_ += wanted ? marked : to - from - marked;
  }

  // Moves on to the next word with a marked element.
  bool find_wrong(side& of) const noexcept {
    const mark_word* const marks = blocks_.marks_of(of.block);
    const position words = words_for_marks(blocks_.end_of(of.block) - blocks_.begin_of(of.block));
    while (of.word != words && marks[of.word] == 0) ++of.word;
    return of.word != words;
  }

  void swap_wrong(side& left, side& right) const {
    using step = std::iter_difference_t<It>;
    const auto begin_of_word = [&](const side& of) {
      return all_.at(blocks_.begin_of(of.block) + of.word * marks_in_word);
    };
    while (find_wrong(left) && find_wrong(right)) {
      mark_word& lefts = blocks_.marks_of(left.block)[left.word];
      mark_word& rights = blocks_.marks_of(right.block)[right.word];
      const It a = begin_of_word(left);
      const It b = begin_of_word(right);
      for (; lefts != 0 && rights != 0; lefts &= lefts - 1, rights &= rights - 1) {
        std::ranges::iter_swap(a + static_cast<step>(std::countr_zero(lefts)),
                               b + static_cast<step>(std::countr_zero(rights)));
      }
    }
  }

  // Blocks of one side are left, a few for each worker. Their wrong elements are swapped with those behind, or before, the
  // bound of both sides.
  void finish() {
    if (!lefts_.empty()) {
      std::ranges::sort(lefts_, std::ranges::greater(), &side::block);
      position end = std::min(blocks_.begin_of(unclaimed_begin_), all_.size);
      for (side& of : lefts_) close_up<false>(of, end);
    } else if (!rights_.empty()) {
      std::ranges::sort(rights_, std::ranges::less(), &side::block);
      position begin = blocks_.begin_of(unclaimed_begin_);
      for (side& of : rights_) close_up<true>(of, begin);
    }
  }
  // `bound`: all elements from there on, or before it, belong to the other side.
  template <bool Upward>
  void close_up(side& of, position& bound) const {
    std::vector<position> wrong;
    const position begin = blocks_.begin_of(of.block);
    for_marks(
        blocks_.marks_of(of.block), blocks_.end_of(of.block) - begin,
        [&](position at) { wrong.push_back(begin + at); },
        [&](position from, position to) {
          for (; from != to; ++from) wrong.push_back(begin + from);
        });
    if constexpr (Upward) {
      for (const position at : wrong) swap(at, bound++);
    } else {
      for (auto at = wrong.rbegin(); at != wrong.rend(); ++at) swap(*at, --bound);
    }
  }
  void swap(position a, position b) const {
    if (a != b) std::ranges::iter_swap(all_.at(a), all_.at(b));
  }

  const elements<It> all_;
  const Keep keep_;
  const loop_options how_;
  const marked_blocks blocks_;
  std::mutex mutex_;
  position unclaimed_begin_ = 0;
  position unclaimed_end_;
  position kept_ = 0;
  std::vector<side> lefts_;
  std::vector<side> rights_;
};

}  // namespace sennit::detail
