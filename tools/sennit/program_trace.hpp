// SPDX-License-Identifier: Apache-2.0
// The trace of a program, with names for people.
#pragma once

#include "program/trace_file.hpp"
#include "program/traced_program.hpp"
#include "tools/sennit/site_names.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace command {

struct program_trace {
  sennit::sim::trace events;
  sennit::sim::traced_program made;
  std::vector<site> sites;           // of `events`
  std::vector<std::string> remarks;  // sentences: what is missing, and how to get it

  // Of a site of the program: the user's name, or the function; and the line.
  site named(std::uint32_t site_of_program) const;
};

// Throws std::runtime_error, as the reader does.
program_trace load_program_trace(const std::string& file);

}  // namespace command
