// SPDX-License-Identifier: Apache-2.0
// A compiler launcher: it compiles to assembly, runs rollforward, and assembles.
#pragma once

#include <string>
#include <vector>

namespace rollforward {

// What the launcher runs in place of a command that makes an object file.
struct compilation {
  std::string source;
  std::string object;
  std::string assembly;                  // the compiler's output
  std::string rolled;                    // the assembler's input
  std::vector<std::string> to_assembly;  // a command, with the launchers before the compiler
  std::vector<std::string> to_object;    // a command
};

// Plans how to carry out `command`. Returns false if the command makes no object file of C++ source (-E, -S,
// -M, linking); the command is then run unchanged. Throws std::runtime_error for a command that rollforward
// does not support: -flto, or a source without -c.
bool plan_compilation(const std::vector<std::string>& command, compilation& plan);

// Runs the command with rollforward; unchanged if it compiles for another CPU than x86-64. Returns the status of the part that failed, or 0. Throws
// std::runtime_error if the command cannot be run, or if rollforward fails on its assembly; the assembly
// file then stays beside the object.
int compile(const std::vector<std::string>& command);

}  // namespace rollforward
