// SPDX-License-Identifier: Apache-2.0
#include "tests/tpal/random_stacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tpal {
namespace {

constexpr int blocks_of_a_case = 5;

// Keeps a rough account of the stack, so that most instructions make sense.
class writer {
 public:
  explicit writer(const random_stacks& what) : what_(what), random_(what.seed) {}

  std::string run() {
    text_ = ".input what\n.output a\nmain:\n  a := 1; x := 0; k := 0; t := 0; fuel := 14; go := stop\n";
    // Cells that are used again have something to forget.
    line("sp := snew");
    line("salloc 20");
    for (int k = 0; k < 20; ++k) line(fmt::format("mem[sp + {}] := 77", k));
    line("sfree 20");
    for (int c = 0; c < what_.cases; ++c) text_ += fmt::format("  t := what = {0}; if-jump t, c{0}\n", c);
    text_ += "  jump stop\nstop:\n  halt\n";
    for (int c = 0; c < what_.cases; ++c) one_case(c);
    return text_;
  }

 private:
  std::int64_t any(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random_);
  }
  bool is_rare() { return any(0, 39) == 0; }
  void line(const std::string& instruction) { text_ += "  " + instruction + "\n"; }

  void one_case(int c) {
    text_ += fmt::format("c{}:\n", c);
    if (!is_rare()) line("sp := snew");
    if (!is_rare()) line(fmt::format("salloc {}", any(4, 9)));
    if (what_.jumps_to_registers) line(fmt::format("go := c{}-{}", c, any(0, blocks_of_a_case - 1)));
    line(fmt::format("jump c{}-0", c));
    for (int b = 0; b < blocks_of_a_case; ++b) {
      cells_ = any(2, 6);
      marks_.clear();
      text_ += fmt::format("c{}-{}:\n", c, b);
      for (std::int64_t left = any(3, 9); left > 0; --left) instruction(c);
      burn();
      line(what_.jumps_to_registers && any(0, 1) == 0 ? "jump go" : "jump " + block(c));
    }
  }

  void burn() {
    line("fuel := fuel - 1");
    line("if-jump fuel, stop");
  }

  std::string block(int c) {
    return any(0, 7) == 0 ? "stop" : fmt::format("c{}-{}", c, any(0, blocks_of_a_case - 1));
  }

  // As a number, or in a register.
  std::string operand(std::int64_t n) {
    if (any(0, 7) != 0) return fmt::format("{}", n);
    line(fmt::format("k := {}", n));
    return "k";
  }
  std::int64_t offset() { return is_rare() ? any(0, 70) : any(0, std::max<std::int64_t>(cells_ - 1, 0)); }
  std::string cell() { return fmt::format("mem[sp + {}]", operand(offset())); }
  bool is_marked(std::int64_t offset) const {
    return std::find(marks_.begin(), marks_.end(), offset) != marks_.end();
  }
  // One that is not known to be marked.
  std::string value_cell() {
    std::int64_t at = offset();
    for (int tries = 0; tries < 5 && is_marked(at); ++tries) at = offset();
    return fmt::format("mem[sp + {}]", operand(at));
  }

  void use(const std::string& read) {
    line("x := " + read);
    line("a := a * 31");
    line("a := a + x");
  }

  void instruction(int c) {
    const std::int64_t which = any(0, 99);
    if (which < 18) return allocate(is_rare() ? any(60, 70) : any(0, 4));
    if (which < 30) return free(any(0, is_rare() ? cells_ + 5 : std::min<std::int64_t>(cells_, 4)));
    if (which < 48) return line(fmt::format("{} := {}", value_cell(), any(1, 99)));
    if (which < 68) return use(value_cell());
    if (which < 77) return push();
    if (which < 84) return pop();
    if (which < 87) return use("prmempty");
    if (which < 88) return use("prmsplit");
    if (which < 89) return line("sp := snew");
    if (which < 92 && what_.jumps_to_registers)
      return line(fmt::format("go := c{}-{}", c, any(0, blocks_of_a_case - 1)));
    burn();
    line(fmt::format("t := a & {}", any(1, 3)));
    line("if-jump t, " + block(c));
  }

  void allocate(std::int64_t count) {
    line("salloc " + operand(count));
    cells_ += count;
    for (std::int64_t& mark : marks_) mark += count;
  }

  void free(std::int64_t count) {
    if (!is_rare() && !marks_.empty()) count = std::min(count, marks_.back());
    line("sfree " + operand(count));
    cells_ = std::max<std::int64_t>(cells_ - count, 0);
    for (std::int64_t& mark : marks_) mark -= count;
  }

  void push() {
    std::int64_t at = offset();
    if (!is_rare() && !marks_.empty()) {
      if (marks_.back() == 0) return;
      at = any(0, marks_.back() - 1);
    }
    line(fmt::format("prmpush mem[sp + {}]", operand(at)));
    marks_.push_back(at);
  }

  void pop() {
    if (marks_.empty() && !is_rare()) return;
    line("prmpop " + (marks_.empty() || is_rare() ? cell() : fmt::format("mem[sp + {}]", marks_.back())));
    if (!marks_.empty()) marks_.pop_back();
  }

  const random_stacks what_;
  std::mt19937_64 random_;
  std::string text_;
  std::int64_t cells_ = 0;           // of the stack, if the block begins as is assumed
  std::vector<std::int64_t> marks_;  // offsets, from the oldest mark on
};

}  // namespace

std::string random_stacks::source() const { return writer(*this).run(); }

}  // namespace tpal
