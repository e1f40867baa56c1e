// SPDX-License-Identifier: Apache-2.0
// splice_report: what a splice did, and how the library found the order of the splice's steps.
#pragma once

#include <sennit/detail/config.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sennit {

// How the order of the steps was found.
enum class splice_engine : std::uint8_t {
  none,       // there was no call
  wavefront,  // all declared trees together, from their first blocks to their last
  calls,  // functions, and trees that no wavefront suits: a step is compared with what is left of earlier calls
  in_order,  // one tree after the other, each as one step: `no_wavefront`, `together` and `group` then say nothing
  checker,  // the effect checker, which runs one call after the other
  several,  // groups of interleaved calls, or splices that were added up, with different engines
};

// Why a splice did without something that makes others faster.
enum class splice_reason : std::uint8_t {
  none,            // it did not do without
  functions,       // the body calls functions, and returns no trees
  parts,           // the parts of the trees are not of type sennit::range or sennit::rectangle
  ranges,          // the trees are over different ranges or rectangles, or rectangles have different blocks
  scattered_data,  // a region of data is far from contiguous
  independent_trees,    // a tree shares no data with the trees before it
  opposite_directions,  // a tree begins with data with which an earlier tree ends
  far_data,             // a block needs data of an earlier tree that is an eighth of the range away, or more
  large_distance,       // the data between the blocks of the first and the last tree does not fit the cache
  uneven_distance,      // a tile needs data of an earlier tree that is farther away than at the middle
  small_data,           // all data stays in the cache of the only worker, in any order
  failed_effects,       // effects_of() threw
  checked,              // the effect checker observes the splice
  ordered_steps,  // a tree's steps depend on one another, and it would have to begin elsewhere or go backward
};

// Why so many calls were interleaved with one another.
enum class splice_group : std::uint8_t {
  none,    // there was no call
  all,     // there were no more calls
  given,   // the program said so: splicing::together
  usual,   // more would gain almost nothing
  caches,  // the data of more would not fit the caches
  tried,   // other numbers took longer, or are still to be tried
};

// A size of blocks that was tried, and how long the interleaved calls took for one index: all of them together.
struct tried_block {
  std::int64_t block = 0;  // in indices
  double ns = 0;           // for one index
  friend bool operator==(const tried_block&, const tried_block&) = default;
};

// Sizes that were tried, from the smallest on. If there are more than `most`, the slowest are left out.
//
// Thread-safety: none. Cost: `most` times 16 bytes, and no memory from the heap.
//
// Example:
//   // The time at one index with the best size; 0 if nothing was tried.
//   double best(const sennit::splice_report& took) {
//     double ns = 0;
//     const sennit::tried_blocks& sizes = took.tried;
//     for (const sennit::tried_block& t : sizes)
//       if (ns == 0 || t.ns < ns) ns = t.ns;
//     return ns;
//   }
class tried_blocks {
 public:
  static constexpr std::size_t most = 16;

  constexpr const tried_block* begin() const noexcept { return all_.data(); }
  constexpr const tried_block* end() const noexcept { return all_.data() + size_; }
  constexpr std::size_t size() const noexcept { return size_; }
  // A size that is there already keeps its best time.
  constexpr void add(tried_block t) noexcept {
    tried_block* const last = all_.data() + size_;
    tried_block* at =
        std::find_if(all_.data(), last, [&](const tried_block& b) { return b.block >= t.block; });
    if (at != last && at->block == t.block) {
      at->ns = std::min(at->ns, t.ns);
      return;
    }
    if (size_ == most) {
      tried_block* const slowest = std::max_element(
          all_.data(), last, [](const tried_block& a, const tried_block& b) { return a.ns < b.ns; });
      if (slowest->ns <= t.ns) return;
      std::move(slowest + 1, last, slowest);
      if (slowest < at) --at;
      --size_;
    }
    std::move_backward(at, all_.data() + size_, all_.data() + size_ + 1);
    *at = t;
    ++size_;
  }
  friend constexpr bool operator==(const tried_blocks& a, const tried_blocks& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<tried_block, most> all_{};
  std::size_t size_ = 0;
};

// What a splice did (Lifflander and Krishnamoorthy, 2017, Table 4).
//
// Example:
//   #include <sennit/data_regions.hpp>
//   #include <sennit/splice.hpp>
//
//   #include <cassert>
//   #include <iostream>
//
//   // A program that relies on the fast order says so, and shows what happened if it was not used.
//   void twice(double* x, sennit::range all) {
//     const sennit::splice_report took = sennit::splice(2, [=](int) {
//       return sennit::divided{
//           all, 0, [=](sennit::range r) { return sennit::effects(sennit::writes(sennit::memory_range(x, r))); },
//           [=](sennit::range r) {
//             for (auto i = r.first; i < r.last; ++i) x[i] += 1;
//           }};
//     });
//     if (took.engine != sennit::splice_engine::wavefront) std::cerr << took.text() << '\n';
//     if (took.no_shift == sennit::splice_reason::scattered_data) std::cerr << "its data are far apart\n";
//     if (took.group == sennit::splice_group::caches) std::cerr << "more sweeps would not fit the caches\n";
//   }
struct splice_report {
  std::uint64_t steps = 0;        // of all calls
  std::uint64_t checks = 0;       // comparisons of effects
  std::uint64_t switches = 0;     // between stacks
  std::uint64_t delayed = 0;      // steps that had to wait
  std::uint64_t dependences = 0;  // calls or steps for which steps waited
  // Calls of sequences that were not looked into in advance, for want of memory or because they were too deep
  // in others: see splicing::most_bytes. Calls in such calls do not count.
  std::uint64_t unspliced = 0;
  // Memory for calls, for the touched part of their stacks, and for what is kept about their order.
  std::size_t extra_bytes = 0;

  splice_engine engine = splice_engine::none;
  splice_reason no_wavefront = splice_reason::none;  // why the engine is another one
  // Why trees over rectangles were not walked tile by tile. The wavefront may have walked them then, as trees over ranges.
  splice_reason no_tiles = splice_reason::none;
  // The largest number of calls that were interleaved with one another, and why it was no larger.
  std::uint32_t together = 0;
  splice_group group = splice_group::none;
  // Of trees, in indices or cells: the largest block, or the size that the library would take next if it tries sizes. Of
  // functions with a sliced range: the size of the slices. 0 for other functions.
  std::int64_t block = 0;
  bool block_is_chosen = false;  // by the library
  // Of the data that the first tree touches in such a block, on average; 0: not known.
  std::uint64_t block_bytes = 0;
  // The rows and columns of a tile, if rectangles were walked tile by tile.
  std::int64_t tile_rows = 0;
  std::int64_t tile_columns = 0;
  // How many sizes of blocks or slices have been tried to find `block`, in this splice and, for trees, in earlier ones of its
  // place in the program. 0: the program has given the size, the trees are not over one sennit::range, or there were too few
  // steps. A memoized_splice tries larger sizes only while its steps turn out to be short.
  std::uint32_t blocks_tried = 0;
  // The same sizes, with the time of each. It may be empty if another thread splices at the same place in the program.
  tried_blocks tried;
  bool tries_more = false;  // the next splice of this place goes on trying
  // By how many indices, or rows, the blocks or slices of the last of the interleaved calls are shifted against those
  // of the first. 0: no tree has to be shifted, or `no_shift` says why none is.
  std::int64_t shift = 0;
  std::int64_t shift_of_columns = 0;  // the same for columns, if rectangles are cut there
  splice_reason no_shift = splice_reason::none;
  // How many trees the walk begins elsewhere than at their first index, as on a ring, or walks backward.
  std::uint32_t moved = 0;
  // How many numbers of trees have been tried at this place in the program. 0: the program has given the number, the
  // splice is memoized, or the data of a tree is small.
  std::uint32_t together_tried = 0;

  // The report in some lines of English, for a person who wants to know why a splice is fast or slow. Throws
  // std::bad_alloc.
  SENNIT_EXPORT std::string text() const;

  // Adds the report of another splice.
  splice_report& operator+=(const splice_report& other) noexcept {
    steps += other.steps;
    checks += other.checks;
    switches += other.switches;
    delayed += other.delayed;
    dependences += other.dependences;
    unspliced += other.unspliced;
    extra_bytes += other.extra_bytes;
    used(other.engine, other.no_wavefront);
    if (no_tiles == splice_reason::none) no_tiles = other.no_tiles;
    interleaved(other.together, other.group);
    if (other.block > block) {
      block = other.block;
      block_is_chosen = other.block_is_chosen;
      block_bytes = other.block_bytes;
      tile_rows = other.tile_rows;
      tile_columns = other.tile_columns;
    }
    if (other.blocks_tried > blocks_tried) {
      blocks_tried = other.blocks_tried;
      tried = other.tried;
      tries_more = other.tries_more;
    }
    shift = std::max(shift, other.shift);
    shift_of_columns = std::max(shift_of_columns, other.shift_of_columns);
    if (no_shift == splice_reason::none) no_shift = other.no_shift;
    moved += other.moved;
    together_tried = std::max(together_tried, other.together_tried);
    return *this;
  }
  // Adds a number of calls that were interleaved, and why it was no larger.
  void interleaved(std::uint32_t calls, splice_group why) noexcept {
    if (calls <= together) return;
    together = calls;
    group = why;
  }
  // Adds an engine, and why it was not the wavefront.
  void used(splice_engine by, splice_reason why) noexcept {
    if (engine == splice_engine::none) {
      engine = by;
    } else if (by != splice_engine::none && by != engine) {
      engine = splice_engine::several;
    }
    if (no_wavefront == splice_reason::none) no_wavefront = why;
  }
};

}  // namespace sennit
