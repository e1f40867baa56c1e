// SPDX-License-Identifier: Apache-2.0
// A program of the Task Parallel Assembly Language as the machine reads it: Rainey et al., 2021, Fig. 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tpal {

// Both count from 1; a column is a byte of its line.
struct position {
  int line = 0;
  int column = 0;
};

struct operand {
  enum class kind { number, floating, reg, label, data, length };

  kind is = kind::number;
  std::int64_t value = 0;  // the number, the bits of the double, or which register, block or data it is
  position at = {};
};

enum class operation {
  add,
  subtract,
  multiply,
  divide,
  remainder,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  // Of doubles. These four give doubles, the others truths.
  double_add,
  double_subtract,
  double_multiply,
  double_divide,
  double_less,
  double_less_equal,
  double_greater,
  double_greater_equal,
  double_equal,
  double_not_equal
};

enum class opcode {
  move,         // target := left
  compute,      // target := left op right
  to_double,    // target := double left
  to_int,       // target := int left
  load,         // target := mem[left + right]
  store,        // mem[left + right] := stored
  load_stack,   // target := mem[sp + right]
  store_stack,  // mem[sp + right] := stored
  if_jump,      // if-jump left, right
  jump,         // jump left
  halt,
  jralloc,   // target := jralloc left
  fork,      // fork left, right
  join,      // join left
  snew,      // sp := snew
  salloc,    // salloc left
  sfree,     // sfree left
  prmpush,   // prmpush mem[sp + right]
  prmpop,    // prmpop mem[sp + right]
  prmempty,  // target := prmempty
  prmsplit,  // target := prmsplit
  call,      // target := call function(arguments)
  call_only  // call function(arguments), whatever it returns
};

struct instruction {
  opcode code = opcode::halt;
  operation op = operation::add;
  std::size_t target = 0;
  operand left = {};
  operand right = {};
  operand stored = {};
  std::size_t function = 0;
  std::vector<operand> arguments = {};
  position at = {};
};

enum class join_policy { assoc, assoc_comm };

// A register of the child, and the one of the parent that receives it.
struct transfer {
  std::size_t from = 0;
  std::size_t to = 0;
  position at = {};
};

struct annotation {
  enum class kind { none, promotion_ready, join_target };

  kind is = kind::none;
  std::size_t block = 0;  // the handler, or the combining block
  join_policy policy = join_policy::assoc;
  std::vector<transfer> transfers;
  position at = {};
};

struct block {
  std::string name;
  annotation note;
  std::vector<instruction> code;  // the last one is a jump, a halt or a join
  position at = {};
};

enum class type { integer, floating };

// An array in the heap: its cells, which are bits if they are doubles, or how many zeros it has, as a product.
struct data {
  std::string name;
  std::vector<std::int64_t> cells;
  std::vector<operand> zeros;
  position at = {};
  type of = type::integer;
};

// A C function that is defined elsewhere.
struct function {
  std::string name;
  std::vector<type> parameters;
  std::optional<type> returns;
  position at = {};
  void (*address)() = nullptr;  // once it is found
};

// A register that the first task starts with.
struct input {
  std::size_t target = 0;
  std::optional<std::int64_t> otherwise;  // the number, or the bits of the double
  position at = {};
  type of = type::integer;
};

// What the program has computed when it halts: registers and data.
struct program {
  std::string file;
  std::vector<std::string> lines;
  std::vector<std::string> registers;
  std::vector<block> blocks;  // the first is where the first task starts
  std::vector<data> arrays;
  std::vector<function> functions;
  std::vector<input> inputs;
  std::vector<operand> outputs;
  std::vector<std::pair<std::size_t, type>> output_types;  // registers, and what they are said to hold
};

}  // namespace tpal
