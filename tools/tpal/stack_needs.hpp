// SPDX-License-Identifier: Apache-2.0
// What a block is about to ask of a task's stack.
#pragma once

#include "tools/tpal/program.hpp"
#include "tools/tpal/stack_bounds.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tpal {

// So many cells, and so many of the newest without a mark, where the block begins; nothing if a question of its own would not pay.
struct stack_need {
  std::int64_t cells = 0;
  std::int64_t unmarked = 0;

  bool is_nothing() const { return cells == 0 && unmarked == 0; }
  // One comparison with the newest mark tells of both.
  bool is_of_the_newest_mark() const { return unmarked > 0 && cells <= unmarked + 1; }
  bool is_met_by(const stack_bound& b) const { return b.cells >= cells && b.unmarked >= unmarked; }
  // To what is certain if the answer is yes.
  void raise(stack_bound& b) const;
};

// Checks that a block would make one after the other, and those of blocks that it certainly goes on to, can be one question
// where the block begins. If the answer is yes, none of them can fail. Otherwise each is made in its place, and tells of the
// first misuse.
class stack_needs {
 public:
  stack_needs(const program& p, const stack_bounds& bounds);

  const stack_need& at(std::size_t block) const { return needs_[block]; }

 private:
  std::vector<stack_need> needs_;  // of the blocks
};

}  // namespace tpal
