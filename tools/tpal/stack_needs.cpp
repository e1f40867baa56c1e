// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/stack_needs.hpp"

#include <algorithm>

namespace tpal {
namespace {

// A walk from a block's beginning, as far as there is one way only.
class walk {
 public:
  walk(const program& p, const stack_bounds& bounds) : program_(p), bounds_(bounds) {}

  stack_need from(std::size_t block) {
    bound_ = bounds_.at(block);
    for (int steps = 0; steps < most_blocks; ++steps) {
      const std::vector<instruction>& code = program_.blocks[block].code;
      if (!std::all_of(code.begin(), code.end(), [this](const instruction& i) { return pass(i); })) break;
      // A block without a check of its own leaves the question to the next one.
      if (checks_ == 0 || code.back().left.is != operand::kind::label) break;
      block = static_cast<std::size_t>(code.back().left.value);
      if (program_.blocks[block].note.is == annotation::kind::promotion_ready)
        break;  // a handler may come between
    }
    const int questions = need_.is_of_the_newest_mark() || need_.unmarked == 0 ? 1 : 2;
    return checks_ > questions ? need_ : stack_need{};
  }

 private:
  static constexpr int most_blocks = 8;

  // Whether the walk goes on behind it.
  bool pass(const instruction& i) {
    switch (i.code) {
      case opcode::load_stack:
      case opcode::store_stack: return use(i);
      case opcode::salloc:
      case opcode::sfree: return move(i);
      case opcode::prmpush: return push(i);
      case opcode::prmpop:
      case opcode::prmsplit: marks_change_ = true; break;
      case opcode::if_jump:
      case opcode::join:
      case opcode::halt:
      case opcode::snew: return false;
      default: break;
    }
    bound_.pass(i);
    return true;
  }

  bool use(const instruction& i) {
    if (!is_counted(i.right)) return false;
    if (!bound_.has(i.right)) need_cells(i.right.value + 1);
    bound_.pass(i);
    return true;
  }

  bool move(const instruction& i) {
    if (!is_counted(i.left)) return false;
    const bool frees = i.code == opcode::sfree;
    if (frees && bound_.unmarked < i.left.value && !need_unmarked(i.left.value)) return false;
    freed_ += frees ? i.left.value : -i.left.value;
    bound_.pass(i);
    return true;
  }

  bool push(const instruction& i) {
    if (!is_counted(i.right)) return false;
    if (!bound_.is_unmarked(i.right) && !need_unmarked(i.right.value + 1)) return false;
    marks_change_ = true;
    bound_.pass(i);
    return true;
  }

  static bool is_counted(const operand& v) {
    return v.is == operand::kind::number && v.value >= 0 && v.value < stack_bound::most;
  }

  // From here on; the need is from the beginning on.
  void need_cells(std::int64_t count) {
    need_.cells = std::max(need_.cells, std::min(count + freed_, stack_bound::most));
    ++checks_;
  }
  // Marks that are made or taken off on the way are not as at its beginning.
  bool need_unmarked(std::int64_t count) {
    if (marks_change_ || count + freed_ > stack_bound::most) return false;
    need_.unmarked = std::max(need_.unmarked, count + freed_);
    need_.cells = std::max(need_.cells, need_.unmarked);
    ++checks_;
    return true;
  }

  const program& program_;
  const stack_bounds& bounds_;
  stack_bound bound_;
  stack_need need_;
  std::int64_t freed_ = 0;  // cells since the beginning, less those that were allocated
  int checks_ = 0;
  bool marks_change_ = false;
};

}  // namespace

void stack_need::raise(stack_bound& b) const {
  b.exists = b.exists || !is_nothing();
  b.cells = std::max(b.cells, cells);
  b.unmarked = std::max(b.unmarked, unmarked);
}

stack_needs::stack_needs(const program& p, const stack_bounds& bounds) {
  for (std::size_t b = 0; b < p.blocks.size(); ++b) needs_.push_back(walk(p, bounds).from(b));
}

}  // namespace tpal
