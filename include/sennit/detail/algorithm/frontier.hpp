// SPDX-License-Identifier: Apache-2.0
// The blocks of a sequence in the order in which strands claim them, and the frontier behind which the place of
// each block's output is known.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <mutex>
#include <vector>

namespace sennit::detail {

// The blocks into which an algorithm cuts n elements. About as many blocks as a block has elements, so that
// the serial work for each block is negligible. At least 64 blocks, if n is not large, so that many strands
// have some.
//
// A block of elements of `bytes` bytes fits into a cache of a core, so that it can be gone over twice.
inline position elements_in_block(position n, const loop_options& how, std::size_t bytes) {
  constexpr position cache = position{1} << 18;
  if (how.grain != 0) return std::min<position>(how.grain, std::max<position>(n, 1));
  const auto root = static_cast<position>(std::sqrt(static_cast<double>(n))) + 1;
  const position fitting = std::max<position>(cache / bytes, 64);
  return std::min(std::max(root, std::min<position>(n / 64, 512)), fitting);
}

// Strands claim blocks in ascending order. So blocks that are at work are near each other, and all blocks
// before one that failed are done in the end. All members may be called by any strand.
class frontier {
 public:
  static constexpr position none = ~position{0};

  struct block_record {
    position offset = 0;
    // Without the first element, if the block before this one decides about that.
    position kept = 0;
    bool first_kept = false;
    bool next_kept = false;
    bool counted = false;
    // The output is where it belongs.
    bool placed = false;
  };
  struct claimed {
    position block = none;
    // The outputs of all earlier blocks are in their places, and the record has the offset and first_kept.
    bool at_frontier = false;
  };
  // Counted blocks that are to be placed.
  struct batch {
    position first = 0;
    position last = 0;
    bool empty() const noexcept { return first == last; }
  };

  // `in_place`: outputs are placed in order, by one strand at a time. `first_kept`: of the sequence.
  frontier(position blocks, bool in_place, bool first_kept)
      : records_(static_cast<std::size_t>(blocks)), in_place_(in_place), first_kept_(first_kept) {}

  position blocks() const noexcept { return records_.size(); }
  block_record& record(position block) noexcept { return records_[static_cast<std::size_t>(block)]; }

  // Nothing remains to be claimed if a block has failed.
  claimed claim() {
    const std::scoped_lock lock(mutex_);
    if (next_ == blocks() || next_ > failed_) return {};
    const claimed mine{next_, known_ == next_ && !placing_};
    ++next_;
    if (mine.at_frontier) begin_record(mine.block);
    return mine;
  }

  // The output of a block at the frontier has been placed.
  batch finish(position block, position kept, bool next_kept) {
    const std::scoped_lock lock(mutex_);
    record(block).placed = true;
    count(block, kept, next_kept);
    end_record(block);
    ++known_;
    return next_batch();
  }
  // Which elements a block keeps is known.
  batch mark(position block, position kept, bool next_kept) {
    const std::scoped_lock lock(mutex_);
    count(block, kept, next_kept);
    return next_batch();
  }
  // What mark() or finish() has returned has been placed.
  batch placed() {
    if (!in_place_) return {};
    const std::scoped_lock lock(mutex_);
    placing_ = false;
    return next_batch();
  }

  SENNIT_COLD void fail(position block, std::exception_ptr failure) {
    const std::scoped_lock lock(mutex_);
    if (block > failed_) return;
    failed_ = block;
    failure_ = std::move(failure);
  }

  bool has_failed() {
    const std::scoped_lock lock(mutex_);
    return failed_ != none;
  }

  // The rest is for when all strands have ended.
  const std::exception_ptr& failure() const noexcept { return failure_; }
  // The size of the output of the blocks before known().
  position size() const noexcept { return offset_; }
  position known() const noexcept { return known_; }

 private:
  void begin_record(position block) noexcept {
    record(block).offset = offset_;
    record(block).first_kept = first_kept_;
  }
  void count(position block, position kept, bool next_kept) noexcept {
    block_record& of = record(block);
    of.kept = kept;
    of.next_kept = next_kept;
    of.counted = true;
  }
  void end_record(position block) noexcept {
    const block_record& of = record(block);
    offset_ += of.kept + (of.first_kept ? 1 : 0);
    first_kept_ = of.next_kept;
  }
  batch next_batch() noexcept {
    if (placing_) return {};
    const position first = known_;
    for (; known_ < std::min(blocks(), failed_) && record(known_).counted; ++known_) {
      begin_record(known_);
      end_record(known_);
    }
    placing_ = in_place_ && first != known_;
    return {first, known_};
  }

  std::mutex mutex_;
  std::vector<block_record> records_;
  const bool in_place_;
  // Whether the first element of the block known_ is kept.
  bool first_kept_;
  bool placing_ = false;
  position next_ = 0;
  position known_ = 0;
  position offset_ = 0;
  position failed_ = none;
  std::exception_ptr failure_;
};

}  // namespace sennit::detail
