// SPDX-License-Identifier: Apache-2.0
// The trace of a program: what SENNIT_TRACE wrote while it ran. It also opens in https://ui.perfetto.dev.
#pragma once

#include "time/picoseconds.hpp"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sennit::sim {

enum class traced : std::uint8_t {
  region,  // an outermost one
  fork,    // with its left branch, which runs at once
  right,   // the other branch, in its fork
  loop,
  leaf,  // some iterations, in their loop
  child,
  wait,
  named,  // a section with a name of the user's; outside of regions it is in none
  graph,
  node,  // of a graph
  brief  // constructs in a body, which are not told one by one
};
inline constexpr unsigned traced_kinds = 11;

struct trace_event {
  std::uint64_t id = 0;
  std::uint64_t in = 0;   // the id of the body around; 0: none
  picoseconds begin = 0;  // since the first event
  picoseconds length = 0;
  // left branch's length of a fork; iterations of a loop; first and last (not included) of a leaf; group of a wait; group and
  // time of the spawn of a child; number of nodes of a graph that are told, and since when no more are (0: all are); number of a
  // node; of brief ones, their number in trace::briefs
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint32_t worker = 0;       // from trace::workers on: a thread that is none
  std::uint32_t site = 0;         // in trace::sites; 0: not known
  std::uint32_t name = 0;         // in trace::names; 0: none
  std::uint32_t color = ~0U;      // ~0U: none
  std::uint32_t first_touch = 0;  // in trace::touches
  std::uint32_t touches = 0;      // how many
  std::uint32_t line = 0;         // of the file
  traced what = traced::region;
  bool stolen = false;

  picoseconds end() const noexcept { return begin + length; }
};

// Where a construct is in the program: what addr2line needs.
struct trace_site {
  std::string module;
  std::uint64_t offset = 0;
  std::string function;  // if the program knew it
};

struct trace_touch {
  std::uint64_t region;  // a data region's number
  std::uint64_t bytes;
  bool writes;
};

// Of a graph: both are numbers of nodes in it.
struct trace_edge {
  std::uint64_t in;  // the id of the graph
  std::uint64_t before;
  std::uint64_t after;
};

// Of a process that is one of several, to another one or from it.
struct trace_message {
  picoseconds at = 0;
  bool sent = false;
  std::uint32_t worker = 0;
  std::uint32_t peer = 0;  // a rank
  std::uint64_t tag = 0;
  std::uint64_t bytes = 0;
};

// A strand waits for what comes from outside. What its worker did meanwhile is told in events.
struct trace_outside_wait {
  picoseconds begin = 0;
  picoseconds length = 0;
  std::uint32_t worker = 0;
  std::uint32_t name = 0;  // in trace::names
};

// Constructs at one place, some of which were measured. The others are taken to be like them.
struct trace_brief {
  bool is_fork = false;  // else a loop
  std::uint64_t count = 0;
  std::uint64_t seen = 0;        // were measured
  picoseconds took = 0;          // all
  picoseconds left = 0;          // the left branches of all forks
  std::uint64_t iterations = 0;  // of one loop
};

struct trace {
  std::string file;     // for messages
  std::string program;  // that ran
  unsigned workers = 0;
  double resolution_ns = 0;         // of its clock
  std::vector<trace_event> events;  // in the order of the file
  std::vector<std::string> names{""};
  std::vector<trace_site> sites{{}};
  std::vector<trace_touch> touches;
  std::vector<trace_edge> edges;
  std::vector<trace_brief> briefs;
  std::vector<trace_message> messages;
  std::vector<trace_outside_wait> outside_waits;
  std::optional<unsigned> rank;      // if the process is one of several
  unsigned ranks = 0;                // of how many; 0: not known
  std::string host;                  // where it ran
  std::uint64_t clock_ns = 0;        // what the clock showed at the first event
  bool by_clock_of_rank_0 = false;   // else the host's
  std::uint64_t skipped = 0;         // forks that were too brief to be told
  bool complete = true;              // the file has its end
  std::vector<std::string> remarks;  // sentences for the user: what is missing, and why
};

// Whether a file begins as traces do. False if it cannot be read.
bool is_trace(const std::string& file);

// Reads the file, an event a line, whatever their order is. A file without an end, as of a program that was killed, is read
// as far as it goes. Throws std::runtime_error, which names the file, the line, what is wrong with it and the remedy. Takes
// about a microsecond and 100 bytes an event.
//
// Example:
//   const sennit::sim::trace t = sennit::sim::read_trace("heat.trace");
//   const sennit::sim::program p = sennit::sim::program_of(t);
trace read_trace(const std::string& file);
trace read_trace(std::istream& from, std::string_view file);

}  // namespace sennit::sim
