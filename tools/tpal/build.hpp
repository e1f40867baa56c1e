// SPDX-License-Identifier: Apache-2.0
// From a program to an executable.
#pragma once

#include "tools/tpal/program.hpp"

#include <string>
#include <vector>

namespace tpal {

// Words of a shell's command line, to be expanded by it.
struct toolchain {
  std::string compiler = "${CXX:-c++} -O2 -g";
  std::string rollforward = "rollforward";
  std::string cflags = "$(pkg-config --cflags sennit)";
  std::string libs = "$(pkg-config --libs sennit)";
  std::vector<std::string> files = {};  // to link with: what has the C functions; no shell expands them
};

// Compiles what emit() writes, through rollforward, links it with the library, and puts the executable at `output`. Throws
// as emit() and tools::write_file(), and std::runtime_error that names the command that failed, which has told why.
void build(const program& p, const std::string& output, const toolchain& with);

// The header of an object file: prod.hpp for prod.o.
std::string header_for(const std::string& object);
// Compiles what emit_function() writes, and puts the object file at `output` and its header at header_for(output). Throws as
// build().
void build_function(const program& p, const std::string& name, const std::string& output,
                    const toolchain& with);

}  // namespace tpal
