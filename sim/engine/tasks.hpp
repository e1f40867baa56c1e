// SPDX-License-Identifier: Apache-2.0
// Tasks of graphs that are ready.
#pragma once

#include "engine/records.hpp"
#include "time/picoseconds.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sennit::sim {

// Those of one strand. Others have the older ones while its frame is in the deque.
struct task_queue {
  std::vector<std::uint32_t> tasks;
  std::size_t head = 0;
  bool in_deque = false;
  unsigned place = 0;  // of the worker that they are for
  picoseconds begun = 0;
  std::uint64_t done = 0;
  std::uint64_t of_own_color = 0;

  bool empty() const noexcept { return head == tasks.size(); }
  std::size_t size() const noexcept { return tasks.size() - head; }
  void begin_anew_if_empty() noexcept {
    if (!empty()) return;
    tasks.clear();
    head = 0;
  }
};

// What the strands of one graph have in common.
struct task_pool {
  record_number of = no_record;
  std::vector<std::uint32_t> counts;              // what each task waits for
  std::vector<std::vector<std::uint32_t>> boxes;  // for each place, the tasks that wait for it
  std::vector<unsigned> fresh;                    // places whose boxes were empty before
};

}  // namespace sennit::sim
