// A compiler launcher: compiles to assembly, rolls it forward, assembles.
#pragma once

#include <string>
#include <vector>

namespace rollforward {

// What the launcher runs for a command that makes an object file.
struct compilation {
  std::string source;
  std::string object;
  std::string assembly;                  // what the compiler writes
  std::string rolled;                    // what the assembler reads
  std::vector<std::string> to_assembly;  // command, with launchers that come before the compiler
  std::vector<std::string> to_object;    // command
};

// How `command` is carried out. False: it makes no object file of C++ source (-E, -S, -M, linking), and is to be run as
// it is. Throws std::runtime_error for what cannot be rolled forward: -flto, or a source without -c.
bool plan_compilation(const std::vector<std::string>& command, compilation& plan);

// Runs the command, rolled forward. Returns the status of the part that failed, or 0. Throws std::runtime_error if it
// cannot be run or its assembly cannot be rolled forward; the assembly then stays beside the object.
int compile(const std::vector<std::string>& command);

}  // namespace rollforward
