// SPDX-License-Identifier: Apache-2.0
// Traces of programs, written by hand.
#pragma once

#include "program/trace_file.hpp"
#include "program/traced_program.hpp"

#include <sstream>
#include <string>
#include <vector>

namespace sennit::sim {

// The lines of a file with these events; times in them are microseconds.
inline std::vector<std::string> trace_lines(const std::vector<std::string>& events) {
  std::vector<std::string> lines{
      R"([{"name":"sennit_trace","ph":"M","pid":1,"tid":0,"args":{"version":1,"program":"heat","workers":2,"resolution_ns":20}},)",
      R"({"name":"process_name","ph":"M","pid":1,"args":{"name":"heat"}},)",
      R"({"name":"site","ph":"M","pid":1,"tid":0,"args":{"site":1,"module":"/bin/heat","offset":4711,"function":"main"}},)",
      R"({"name":"site","ph":"M","pid":1,"tid":0,"args":{"site":2,"module":"/bin/heat","offset":4811,"function":"step"}},)"};
  for (const std::string& e : events) lines.push_back(e + ",");
  lines.back().pop_back();
  lines.emplace_back("]");
  return lines;
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

// An event; `more` are further args, such as R"("left":3.5)".
inline std::string event(const std::string& kind, int id, int in, double begin, double length,
                         const std::string& more = "", int worker = 0) {
  std::ostringstream out;
  out << R"({"name":")" << kind << R"(","cat":")" << kind << R"(","ph":"X","ts":)" << begin << R"(,"dur":)"
      << length << R"(,"pid":1,"tid":)" << worker << R"(,"args":{"id":)" << id;
  if (in != 0) out << R"(,"in":)" << in;
  if (!more.empty()) out << "," << more;
  out << "}}";
  return out.str();
}

inline trace read(const std::string& content) {
  std::istringstream from(content);
  return read_trace(from, "heat.trace");
}

inline traced_program program_in(const std::vector<std::string>& events) {
  return program_of(read(joined(trace_lines(events))));
}

}  // namespace sennit::sim
