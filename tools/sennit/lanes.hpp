// What workers do when: of a traced program, or of a simulated run.
#pragma once

#include "time/picoseconds.hpp"
#include "tools/sennit/program_trace.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace command {

enum class lane_kind : std::uint8_t { work, section, leaf, child, overhead };

struct lane_slice {
  std::uint32_t lane;
  sennit::sim::picoseconds begin;
  sennit::sim::picoseconds end;
  lane_kind kind;
  std::string name;
  std::string line;  // of the program; empty: not known
};

struct lanes {
  std::string title;
  std::vector<std::string> names;  // of the lanes
  sennit::sim::picoseconds length;
  std::vector<lane_slice> slices;  // by lane, then by time; those of a lane do not overlap
};

std::vector<std::string> worker_names(unsigned workers);

// Of bodies in bodies, the innermost one at each time.
lanes lanes_of(const program_trace& t, const std::string& title);

// All of them if they are no more than about `most`. Otherwise brief ones that follow each other on a lane are joined to one
// of each kind, as long as they are together. By lane, then by time.
std::vector<lane_slice> joined_slices(const lanes& l, std::size_t most);

// As a page. Of more slices than a browser draws the brief ones are joined, and the page says so.
std::string page(const lanes& l);
// As trace events for Perfetto, an event a line.
std::string lane_events(const lanes& l);
// How long each worker was busy, and with what.
std::string text(const lanes& l);

}  // namespace command
