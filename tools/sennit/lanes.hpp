// SPDX-License-Identifier: Apache-2.0
// What workers do when: of a traced program, or of a simulated run.
#pragma once

#include "time/picoseconds.hpp"
#include "tools/sennit/program_trace.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace command {

enum class lane_kind : std::uint8_t { work, section, leaf, child, overhead, outside };

// Whether a worker is busy meanwhile.
inline bool is_busy(lane_kind kind) noexcept {
  return kind != lane_kind::overhead && kind != lane_kind::outside;
}

struct lane_slice {
  std::uint32_t lane;
  sennit::sim::picoseconds begin;
  sennit::sim::picoseconds end;
  lane_kind kind;
  std::string name;
  std::string line;  // of the program; empty: not known
};

// From a lane to another one.
struct lane_message {
  std::uint32_t from;
  std::uint32_t to;
  sennit::sim::picoseconds sent;
  sennit::sim::picoseconds received;
  std::uint64_t tag;
  std::uint64_t bytes;
};

// A rank: some lanes, one after the other.
struct rank_of_lanes {
  unsigned rank;
  std::uint32_t first_lane;
  std::uint32_t lanes;
  std::uint64_t sent = 0;  // messages
  std::uint64_t bytes_sent = 0;
  std::uint64_t received = 0;
};

struct lanes {
  std::string title;
  std::vector<std::string> names;  // of the lanes
  sennit::sim::picoseconds length;
  std::vector<lane_slice> slices;        // by lane, then by time; those of a lane do not overlap
  std::vector<rank_of_lanes> ranks{};    // of a run on ranks
  std::vector<lane_message> messages{};  // by when they were sent
  std::vector<std::string> remarks{};    // sentences: what is missing
};

std::vector<std::string> worker_names(unsigned workers);

// Of bodies in bodies, the innermost one at each time.
lanes lanes_of(const program_trace& t, const std::string& title);
// Which lanes the threads have that are no workers.
std::map<std::uint32_t, std::uint32_t> other_lanes(const sennit::sim::trace& t);

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
