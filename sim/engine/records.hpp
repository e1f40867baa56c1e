// SPDX-License-Identifier: Apache-2.0
// The constructs that are open at a time in a simulated run.
#pragma once

#include "program/program.hpp"
#include "time/picoseconds.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace sennit::sim {

using record_number = std::uint32_t;
inline constexpr record_number no_record = ~record_number{0};

enum class record_kind : std::uint8_t {
  series,
  fork,
  loop,          // all of a loop: waits for its parts
  loop_part,     // iterations that one strand has taken on
  loop_half,     // of a loop that is divided and conquered: a fork
  graph,         // all of a graph, and the strand that began it
  graph_strand,  // another one, which has taken tasks
  spliced,       // a row of calls that are interleaved: see engine/spliced_row.hpp
  branch         // what a thief has taken: a strand's outermost record
};

// What a construct waits for, and how far it has got. A strand is known by its innermost record.
struct record {
  record_kind kind = record_kind::series;
  bool waits = false;      // its strand has left the worker until nothing is open
  bool is_piece = false;   // a loop's part that was cut off: its end counts for the loop
  bool is_closed = false;  // a loop's part that nobody may cut
  bool has_spawned = false;
  bool in_child = false;  // the strand runs a child that it has spawned
  node_number node = no_node;
  record_number parent = no_record;
  std::uint32_t step =
      0;  // the next child; of a loop's part: where in the program's parts the next iteration is
  std::uint32_t open =
      0;  // branches that others have and that have not ended; of a graph: tasks that have not
  std::uint32_t extra = 0;  // of a loop's part: its pace; of a graph: its pool; of a row: itself
  std::uint32_t next_free = no_record;
  std::uint64_t name = 0;
  std::uint64_t first = 0;  // of a loop's part: iterations that nobody has claimed
  std::uint64_t last = 0;
  std::uint32_t others = 0;             // of a piece that was dealt: to how many it is dealt on
  std::uint32_t queue = 0;              // of a graph's strand
  std::uint64_t cut_from = 0;           // of a piece: the name of the part
  picoseconds dealt = ~picoseconds{0};  // all of a loop: when parts were last dealt; never
};

// References stay valid while others are made.
class records {
 public:
  record_number make(record_kind kind, node_number node, record_number parent, std::uint64_t name) {
    if (free_ == no_record) grow();
    const record_number made = free_;
    record& r = (*this)[made];
    free_ = r.next_free;
    r = record{.kind = kind, .node = node, .parent = parent, .name = name};
    if (++used_ > most_) most_ = used_;
    return made;
  }
  void free(record_number gone) noexcept {
    (*this)[gone].next_free = free_;
    free_ = gone;
    --used_;
  }
  record& operator[](record_number n) noexcept { return chunks_[n / chunk][n % chunk]; }

  std::uint64_t used() const noexcept { return used_; }
  std::uint64_t most() const noexcept { return most_; }

 private:
  static constexpr record_number chunk = 1 << 12;

  void grow() {
    const auto begin = static_cast<record_number>(chunks_.size()) * chunk;
    chunks_.push_back(std::make_unique<record[]>(chunk));
    for (record_number i = chunk; i > 0; --i) {
      (*this)[begin + i - 1].next_free = free_;
      free_ = begin + i - 1;
    }
  }

  std::vector<std::unique_ptr<record[]>> chunks_;
  record_number free_ = no_record;
  std::uint64_t used_ = 0;
  std::uint64_t most_ = 0;
};

}  // namespace sennit::sim
