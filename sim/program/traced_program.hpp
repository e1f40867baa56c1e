// SPDX-License-Identifier: Apache-2.0
// The program that a trace tells of.
#pragma once

#include "program/program.hpp"
#include "program/trace_file.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sennit::sim {

// Of a site of the program.
struct site_origin {
  std::uint32_t name = 0;  // in trace::names; 0: it has none of the user's
  std::uint32_t site = 0;  // in trace::sites; 0: not known
};

struct traced_program {
  program what;
  std::vector<site_origin> origins{{}};  // of the program's sites
  picoseconds outside = 0;               // between regions: serial
  std::vector<picoseconds>
      estimated;  // of each site, the work in constructs that are known from some of them only
  std::vector<std::string> remarks;  // sentences for the user, after those of the trace
};

// A body's serial work is its time without the constructs directly in it. Regions follow one another, or overlap where several
// threads began them; between them the program runs serial code, from the first region's beginning to the last one's end.
// `names` has a name for each of the trace's sites; empty: their functions, or their addresses, are the names. Throws
// std::runtime_error, which names the file and the line, if bodies are inside each other, or if nodes of a graph wait for each
// other.
traced_program program_of(const trace& t, std::span<const std::string> names = {});

}  // namespace sennit::sim
