// SPDX-License-Identifier: Apache-2.0
// A task of the machine: Rainey et al., 2021, 2.1.
#pragma once

#include "tools/tpal/stack.hpp"
#include "tools/tpal/value.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tpal {

struct member;

// A join record that the task has part in and has not joined yet.
struct open_record {
  record_id id;
  member* part = nullptr;
};

struct task {
  std::uint64_t id = 0;  // the first one has 0
  std::size_t block = 0;
  std::size_t next = 0;  // instruction of the block
  std::vector<value> registers;
  stack calls;
  std::vector<open_record> open;  // the innermost last
  std::uint64_t cycles = 0;       // since the last beat
  bool passes = false;            // the next promotion-ready point, as the last one was not
  std::uint64_t span = 0;         // instructions on the longest path from the start to here
};

}  // namespace tpal
