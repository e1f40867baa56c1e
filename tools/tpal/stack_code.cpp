// SPDX-License-Identifier: Apache-2.0
#include "tools/tpal/stack_code.hpp"

#include <fmt/format.h>

namespace tpal {
namespace {

// Of instructions that are written out for each cell.
constexpr std::int64_t most = stack_bound::most;

bool is_small(const operand& v) { return v.is == operand::kind::number && v.value >= 0 && v.value < most; }

bool is_live(cell_liveness::set live, const operand& offset) {
  return !is_small(offset) || ((live >> offset.value) & 1U) != 0;
}

}  // namespace

stack_code::stack_code(const program& p, const expressions& words)
    : words_(words), bounds_(p), needs_(p, bounds_), liveness_(p) {}

bool stack_code::is_for(opcode code) {
  switch (code) {
    case opcode::load_stack:
    case opcode::store_stack:
    case opcode::snew:
    case opcode::salloc:
    case opcode::sfree:
    case opcode::prmpush:
    case opcode::prmpop:
    case opcode::prmempty:
    case opcode::prmsplit: return true;
    default: return false;
  }
}

std::string stack_code::question(std::size_t block) const {
  const stack_need& n = needs_.at(block);
  const std::string cells = fmt::format("sp + {} < s.calls.end", n.cells - 1);
  if (n.unmarked == 0) return cells;
  const char* const older = n.cells == n.unmarked + 1 ? ">" : ">=";
  const std::string marks = fmt::format("marks[-1] {} address(sp + {})", older, n.unmarked);
  return n.is_of_the_newest_mark() ? marks : fmt::format("{} && {}", cells, marks);
}

bool stack_code::is_sure_at(std::size_t block) const {
  return has_two_versions(block) && needs_.at(block).is_met_by(bound_);
}

void stack_code::begin(std::size_t block, bool is_sure) {
  bound_ = bounds_.at(block);
  if (is_sure) needs_.at(block).raise(bound_);
  live_ = liveness_.behind(block);
  next_ = 0;
}

std::string stack_code::statement(const instruction& i) {
  std::string s = text(i, live_[next_++]);
  bound_.pass(i);
  return s;
}

std::string stack_code::text(const instruction& i, cell_liveness::set live) const {
  switch (i.code) {
    case opcode::load_stack: return words_.set(i.target, cell(i), false);
    case opcode::store_stack: return fmt::format("{} = {};", cell(i), words_.value(i.stored));
    case opcode::snew:
      return fmt::format(
          "{{ const stack_top top = s.calls.renew(marks, {}); sp = top.sp; marks = top.marks; }}", i.at.line);
    case opcode::salloc: return allocate(i, live);
    case opcode::sfree: return free(i);
    case opcode::prmpush: return push(i);
    case opcode::prmpop: return pop(i, live);
    case opcode::prmempty: return require(i) + words_.set(i.target, "marks == s.calls.first ? 0 : 1", false);
    default:  // prmsplit
      return fmt::format(
          "{{ const stack::split taken = s.calls.split_mark({{sp, marks}}, {}); marks = taken.marks; {} }}",
          i.at.line, words_.set(i.target, "taken.offset", false));
  }
}

// mem[sp + ...]
std::string stack_code::cell(const instruction& i) const {
  if (bound_.has(i.right)) return fmt::format("sp[{}]", i.right.value);
  if (!is_small(i.right)) return fmt::format("s.calls.at(sp, {}, {})", words_.value(i.right), i.at.line);
  return fmt::format("sp[sp + {0} < s.calls.end ? {0} : (s.calls.outside({1}), 0)]", i.right.value,
                     i.at.line);
}

std::string stack_code::allocate(const instruction& i, cell_liveness::set live) const {
  constexpr const char* grow = "[[unlikely]] {{ const stack_top top = s.calls.grow({{sp, marks}}, count, "
                               "{}); sp = top.sp; marks = top.marks; }}";
  if (!is_small(i.left) || i.left.value == 0) {
    return fmt::format("{}{{ const number count = {}; if (count < 0 || sp - s.calls.limit < count) {} "
                       "sp -= count; std::fill_n(sp, count, 0); }}",
                       require(i), words_.value(i.left), fmt::format(grow, i.at.line));
  }
  std::string zeros;
  for (std::int64_t k = 0; k < i.left.value; ++k) {
    if (is_live(live, {operand::kind::number, k})) zeros += fmt::format(" sp[{}] = 0;", k);
  }
  return fmt::format("{{ constexpr number count = {}; if (!s.calls.has_room(sp, count)) {} sp -= count;{} }}",
                     words_.value(i.left), fmt::format(grow, i.at.line), zeros);
}

std::string stack_code::free(const instruction& i) const {
  if (!is_small(i.left) || i.left.value == 0)
    return fmt::format("{}sp = s.calls.free({{sp, marks}}, {}, {});", require(i), words_.value(i.left),
                       i.at.line);
  const std::string freed = fmt::format("sp += {};", i.left.value);
  if (bound_.unmarked >= i.left.value) return freed;
  // Without a mark, the newest one counts as older than all cells.
  return fmt::format("if (marks[-1] < address(sp + {0})) [[unlikely]] s.calls.bad_free({{sp, marks}}, {0}, "
                     "{1}); {2}",
                     i.left.value, i.at.line, freed);
}

std::string stack_code::push(const instruction& i) const {
  if (bound_.is_unmarked(i.right)) return fmt::format("*marks++ = mark_of(&{});", cell(i));
  return fmt::format("{{ const std::uintptr_t mark = mark_of(&{}); if (mark >= marks[-1]) [[unlikely]] "
                     "fail({}, \"prmpush of a cell older than the newest mark\"); *marks++ = mark; }}",
                     cell(i), i.at.line);
}

std::string stack_code::pop(const instruction& i, cell_liveness::set live) const {
  return fmt::format("{{ [[maybe_unused]] number* const cell = sp + {0}; if (marks[-1] != mark_of(cell)) "
                     "[[unlikely]] fail({1}, \"prmpop of no newest mark\"); --marks;{2} }}",
                     words_.value(i.right), i.at.line, is_live(live, i.right) ? " *cell = 0;" : "");
}

std::string stack_code::require(const instruction& i) const {
  return bound_.exists ? "" : fmt::format("s.calls.require({}); ", i.at.line);
}

}  // namespace tpal
