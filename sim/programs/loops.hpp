// SPDX-License-Identifier: Apache-2.0
// Programs of loops and recursion, as papers 001 and 003 have them.
#pragma once

#include "program/program.hpp"

#include <string>
#include <vector>

namespace sennit::sim {

struct timed_program {
  std::string name;
  program what;
  double serial_seconds = 0;  // its strands alone, one after the other
  bool recursive = false;
};

// Of 003, section 4.1, with fewer rounds or rows where a simulation would take too long: what is left is like all of it.
// Times of iterations are those of one core at some GHz, estimated.
std::vector<timed_program> programs_of_003();

// Of 001: daxpy, nqueens, mandelbrot (section 4.1), and mm and blur by tiles of 128 x 128 and of one pixel (chapter 5).
std::vector<timed_program> programs_of_001();

}  // namespace sennit::sim
