// The program that a trace tells of.
#pragma once

#include "program/program.hpp"
#include "program/trace_file.hpp"

#include <span>
#include <string>
#include <vector>

namespace sennit::sim {

struct traced_program {
  program what;
  picoseconds outside = 0;           // between regions: serial
  std::vector<std::string> remarks;  // sentences for the user, after those of the trace
};

// A body's serial work is its time without the constructs directly in it. Regions follow one another, or overlap where several
// threads began them; between them the program runs serial code, from the first region's beginning to the last one's end.
// `names` has a name for each of the trace's sites; empty: their functions, or their addresses, are the names. Throws
// std::runtime_error, which names the file and the line, if bodies are inside each other, or if nodes of a graph wait for each
// other.
traced_program program_of(const trace& t, std::span<const std::string> names = {});

}  // namespace sennit::sim
