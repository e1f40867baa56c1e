// SPDX-License-Identifier: Apache-2.0
// How the elements to keep are packed: blocks are marked by the strands that claim them, and packed in their order.
#pragma once

#include <sennit/detail/algorithm/engine.hpp>
#include <sennit/detail/algorithm/frontier.hpp>
#include <sennit/detail/algorithm/marked_blocks.hpp>
#include <sennit/detail/algorithm/marks.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/for_positions.hpp>
#include <sennit/detail/loop/loop.hpp>
#include <sennit/region.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

namespace sennit::detail {

// What a strand has found out of a block. See frontier::block_record.
struct marked_block {
  position kept = 0;
  bool next_kept = false;
};

template <class Work>
concept has_own_marks = requires { Work::words_for(position{}); };

template <class Work>
position words_of_block(position n) {
  if constexpr (has_own_marks<Work>) {
    return Work::words_for(n);
  } else {
    return words_for_marks(n);
  }
}

template <class Work>
marked_blocks marked_blocks_of(position n, const loop_options& how) {
  const position block = elements_in_block(n, how, Work::element_bytes);
  return marked_blocks(n, block, words_of_block<Work>(block));
}

// A strand marks the elements of its block that are kept, a bit for each. A strand at the frontier then packs the
// block by its marks, while it is in the cache. Of blocks ahead of it, whoever lets the frontier come to such a
// block packs it. Where nearly all elements are kept, a strand at the frontier packs without marks. `Work` is:
//
//   static constexpr bool in_place    outputs may overlap the input of later blocks, not of earlier ones
//   static constexpr std::size_t element_bytes
//   static constexpr bool first_kept  the first element of all is kept without a comparison
//   bool direct(position offset, position n)
//                                     whether a block of n elements may be packed as it is evaluated
//   marked_block pack(position from, position to, position offset, bool first_kept)
//   marked_block mark(mark_word*, position from, position to)
//   void place(const mark_word*, position from, position to, const frontier::block_record&)
//
// and, if the marks of n elements are more than a bit for each:
//
//   static position words_for(position n)
//   bool is_dense()                   whether the next block is better packed as it is evaluated
//
// Extra memory: a bit for each element, and a record for each block.
template <class Work>
class packing {
 public:
  packing(Work& work, position n, const loop_options& how)
      : work_(work),
        size_(n),
        how_(how),
        blocks_(marked_blocks_of<Work>(n, how)),
        frontier_(blocks_.count(), Work::in_place, Work::first_kept) {}

  // Returns the size of the output.
  position run() {
    for_each_block<in_parallel>(blocks_.count(), how_, [&](position) { visit(); });
    if (frontier_.failure() != nullptr) std::rethrow_exception(frontier_.failure());
    return frontier_.size();
  }

  // After run() has thrown: places what a cancelled loop has left, so that [size(), begin_of(known())) is free.
  void finish_places() noexcept {
    for (position b = 0; b != frontier_.known(); ++b) {
      if (!frontier_.record(b).placed) place(b);
    }
  }
  position size() const noexcept { return frontier_.size(); }
  position evaluated() const noexcept { return std::min(frontier_.known() * blocks_.length(), size_); }

 private:
  void visit() {
    const frontier::claimed mine = frontier_.claim();
    if (mine.block == frontier::none) return;
    frontier::batch ready;
    attempt(mine.block, [&] { ready = evaluate(mine); });
    while (!ready.empty() && place_all(ready)) ready = frontier_.placed();
  }

  frontier::batch evaluate(const frontier::claimed& mine) {
    const position from = blocks_.begin_of(mine.block);
    const position to = blocks_.end_of(mine.block);
    const frontier::block_record& record = frontier_.record(mine.block);
    if (mine.at_frontier && is_dense(mine.block) && work_.direct(record.offset, to - from)) {
      const marked_block packed = work_.pack(from, to, record.offset, record.first_kept);
      return frontier_.finish(mine.block, packed.kept, packed.next_kept);
    }
    const marked_block marked = work_.mark(blocks_.marks_of(mine.block), from, to);
    return frontier_.mark(mine.block, marked.kept, marked.next_kept);
  }

  // Whether nearly all elements are kept, to judge by the block before. Where more are not, a processor does not
  // predict a branch for each element, and two passes by marks cost a fraction.
  bool is_dense(position block) noexcept {
    if constexpr (has_own_marks<Work>) return work_.is_dense();
    return block != 0 && frontier_.record(block - 1).kept > blocks_.length() - blocks_.length() / 8;
  }

  void place(position block) {
    frontier::block_record& record = frontier_.record(block);
    work_.place(blocks_.marks_of(block), blocks_.begin_of(block), blocks_.end_of(block), record);
    record.placed = true;
  }

  // Returns false if no later block may be placed, as elements would be lost.
  bool place_all(frontier::batch ready) {
    while (!ready.empty()) {
      const position last = Work::in_place ? end_of_round(ready) : ready.last;
      const position first = std::exchange(ready.first, last);
      if (last - first == 1) {
        attempt(first, [&] { place(first); });
      } else {
        for_positions(
            last - first,
            [&](position from, position to) {
              for (; from != to; ++from) attempt(first + from, [&] { place(first + from); });
            },
            grain_of_one);
      }
      if (Work::in_place && frontier_.has_failed()) return false;
    }
    return true;
  }

  // The end of the blocks whose outputs lie before the input of the first one, so that all can be moved at
  // once.
  position end_of_round(const frontier::batch& ready) noexcept {
    position last = ready.first + 1;
    while (last != ready.last) {
      const frontier::block_record& next = frontier_.record(last);
      if (next.offset + next.kept + (next.first_kept ? 1 : 0) > blocks_.begin_of(ready.first)) break;
      ++last;
    }
    return last;
  }

  // Calls work() and keeps its exception, but rethrows a cancellation.
  template <class F>
  void attempt(position block, F&& work) {
#if SENNIT_EXCEPTIONS
    try {
      work();
    } catch (const cancelled&) {
      throw;
    } catch (...) {
      frontier_.fail(block, std::current_exception());
    }
#else
    (void)block;
    work();
#endif
  }

  static constexpr loop_options grain_of_one{.grain = 1};

  Work& work_;
  const position size_;
  const loop_options how_;
  const marked_blocks blocks_;
  frontier frontier_;
};

// The same from left to right. Where the destination may be too small, elements are packed a word of marks at a
// time, so that none is written behind its end.
template <class Work>
  requires(!has_own_marks<Work>)
position pack_serially(Work& work, position n, const loop_options&) {
  frontier::block_record record;
  record.first_kept = Work::first_kept;
  const position step = work.direct(0, n) ? n : marks_in_word;
  for (position from = 0; from < n; from += step) {
    const position to = from + std::min(n - from, step);
    marked_block done;
    if (work.direct(record.offset, to - from)) {
      done = work.pack(from, to, record.offset, record.first_kept);
    } else {
      mark_word word = 0;
      done = work.mark(&word, from, to);
      record.kept = done.kept;
      work.place(&word, from, to, record);
    }
    record.offset += done.kept + (record.first_kept ? 1 : 0);
    record.first_kept = done.next_kept;
  }
  return record.offset;
}

// The same for work whose marks are more than a word for as many elements.
template <class Work>
  requires(has_own_marks<Work>)
position pack_serially(Work& work, position n, const loop_options& how) {
  frontier::block_record record;
  const position block = elements_in_block(n, how, Work::element_bytes);
  const auto words =
      std::make_unique_for_overwrite<mark_word[]>(static_cast<std::size_t>(words_of_block<Work>(block)));
  for (position from = 0; from < n; from += block) {
    const position to = from + std::min(n - from, block);
    if (work.is_dense() && work.direct(record.offset, to - from)) {
      record.kept = work.pack(from, to, record.offset, false).kept;
    } else {
      record.kept = work.mark(words.get(), from, to).kept;
      work.place(words.get(), from, to, record);
    }
    record.offset += record.kept;
  }
  return record.offset;
}

// Packs n elements, and returns the size of the output.
template <class Engine, class Work>
position pack_all(Work& work, position n, const loop_options& how) {
  if (n == 0) return 0;
  if constexpr (Engine::serial) {
    position size = 0;
    Engine::for_positions(1, [&](position, position) { size = pack_serially(work, n, how); }, how);
    return size;
  } else {
    return packing<Work>(work, n, how).run();
  }
}

}  // namespace sennit::detail
