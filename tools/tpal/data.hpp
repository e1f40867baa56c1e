// SPDX-License-Identifier: Apache-2.0
// What a program starts with: the heap, and the registers that are its inputs.
#pragma once

#include "tools/tpal/program.hpp"
#include "tools/tpal/value.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tpal {

constexpr std::size_t most_cells = std::size_t{1} << 27U;

// False, with nothing appended, if the range is empty or would not leave less than most_cells.
bool append_range(std::vector<std::int64_t>& cells, std::int64_t first, std::int64_t last);

// Where data lies in the heap.
struct place {
  std::size_t begin = 0;
  std::size_t length = 0;
};

// A program that has its data: no operand is of the kinds `data` and `length`, except in the outputs.
struct image {
  program code;
  std::vector<std::int64_t> heap;
  std::vector<bool> are_doubles;                         // the cells, whose bits the heap has then
  std::vector<place> places;                             // of code.arrays
  std::vector<std::pair<std::size_t, value>> registers;  // those that are set, and to what
};

// `words` are as on the command line: a=6, xs=1,2,5..9, xs=@FILE with numbers between white space or commas.
// Throws std::invalid_argument that names a word which is malformed or is no input, or an input without a value.
image load(program code, const std::vector<std::string>& words);

}  // namespace tpal
