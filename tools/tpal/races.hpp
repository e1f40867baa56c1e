// SPDX-License-Identifier: Apache-2.0
// Accesses to the heap that no fork and no join orders.
#pragma once

#include "tools/tpal/program.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tpal {

struct access {
  std::uint64_t task = 0;
  std::uint64_t epoch = 0;  // of the task: how often it had forked
  bool stores = false;
  position at = {};
};

// Of one run. Each task has a clock, which says up to which epoch of each task all that happened was before. (Flanagan and
// Freund, "FastTrack", 2009.)
class races {
 public:
  races() : clocks_{{1}} {}

  void forked(std::uint64_t parent, std::uint64_t child);
  void combined(std::uint64_t parent, std::uint64_t child);

  // Returns an access that is in a race with this one.
  std::optional<access> note(std::uint64_t task, std::size_t cell, bool stores, position at);

  // All that the races of the future depend on, if these tasks go on: whom of them each access is before. Two runs that append
  // the same have the same future.
  void describe(const std::vector<std::uint64_t>& tasks, std::string& text) const;

 private:
  using clock = std::vector<std::uint64_t>;

  bool is_before(const access& a, std::uint64_t task) const;

  // Accesses to a cell: the last store, and the loads since. What was before is before these.
  struct history {
    std::optional<access> stored;
    std::vector<access> loaded;
  };

  std::vector<clock> clocks_;  // by tasks
  std::map<std::size_t, history> cells_;
};

}  // namespace tpal
