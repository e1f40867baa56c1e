// SPDX-License-Identifier: Apache-2.0
// Calls of a splice at equal depth, which a strand interleaves.
#pragma once

#include "engine/splice_run.hpp"
#include "program/program.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit::sim {

struct spliced_call {
  node_number node = no_node;
  std::uint32_t first = 0;                   // its first step
  std::uint32_t next = 0;                    // the first step of its next part
  std::uint32_t delayed = splice_run::none;  // if some of its steps are
};

struct spliced_row {
  enum class stage : std::uint8_t {
    calls,    // those that are one step
    columns,  // of the others: the first part of each, then the second part of each
    joining,  // a thief has the second column
    ending
  };

  std::vector<spliced_call> calls;
  std::uint32_t run = 0;
  splicer_number splicer = 0;
  splicer_number thief = splice_run::none;
  std::uint32_t forked_at = 0;
  std::uint32_t column = 0;
  std::uint32_t running = splice_run::none;  // a step
  std::size_t next = 0;                      // of the calls
  stage now = stage::calls;
  bool is_first = false;   // all calls of the splice
  bool is_forked = false;  // others may have the second column
  bool is_closed = false;
};

}  // namespace sennit::sim
