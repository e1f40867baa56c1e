// SPDX-License-Identifier: Apache-2.0
// The blocks of a sequence, with marks for the elements of each.
#pragma once

#include <sennit/detail/algorithm/frontier.hpp>
#include <sennit/detail/algorithm/marks.hpp>
#include <sennit/detail/algorithm/sequence.hpp>
#include <sennit/detail/loop/loop.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace sennit::detail {

// The marks of a block are `words` words. They may be written and read by several strands, each with blocks of its own.
class marked_blocks {
 public:
  marked_blocks(position n, position block, position words)
      : size_(n),
        block_(block),
        words_(words),
        blocks_(n / block + (n % block != 0 ? 1 : 0)),
        marks_(std::make_unique_for_overwrite<mark_word[]>(static_cast<std::size_t>(blocks_ * words))) {}

  // The number of blocks, and that of elements in each but the last.
  position count() const noexcept { return blocks_; }
  position length() const noexcept { return block_; }

  position begin_of(position block) const noexcept { return block * block_; }
  position end_of(position block) const noexcept {
    return begin_of(block) + std::min(size_ - begin_of(block), block_);
  }
  mark_word* marks_of(position block) const noexcept { return marks_.get() + block * words_; }

 private:
  position size_;
  position block_;
  position words_;
  position blocks_;
  std::unique_ptr<mark_word[]> marks_;
};

// Calls visit(b) for each of n blocks, of which another worker may take each one. A grain of the program is the length of
// a block already.
template <class Engine, class Visit>
void for_each_block(position n, loop_options how, const Visit& visit) {
  if (how.grain != 0) how.grain = 1;
  Engine::for_positions(
      n,
      [&](position from, position to, auto gate) {
        position b = from;
        do visit(b);
        while (goes_on(++b, from, to, gate));
        return b;
      },
      how);
}

}  // namespace sennit::detail
