// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace splicec {

// splicec file.c -o out.cpp [--depfile FILE] [-- argument of the compiler...]
// Returns 0; 1 if the program is at fault, or a file cannot be read or written; 2 if the command line is.
int command_line(int argc, char** argv);

}  // namespace splicec
