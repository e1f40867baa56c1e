// SPDX-License-Identifier: Apache-2.0
// The share of each worker's work that ran elsewhere in an earlier schedule, so that its data may be there.
#pragma once

#include <sennit/schedule.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace command {

// For one worker, or for all.
struct moved_work {
  std::uint64_t iterations = 0;  // of the compared loops
  std::uint64_t moved = 0;       // of these, the ones that ran on another worker or node before
  std::uint64_t steals = 0;
  std::uint64_t changed =
      0;  // of these, the ones that were not stolen before, or were stolen by another worker or node
};

struct comparison {
  std::string with;         // the earlier schedule's name
  const char* elsewhere{};  // "another worker" or "another node"
  sennit::schedule earlier;
  std::vector<moved_work> workers;

  moved_work all() const;
};

// Compares the loops of which a part was stolen in either schedule, as far as both say who ran them:
// pairs_of_loops.hpp. A construct in an iteration counts as the iteration does. `nodes`: the number of nodes of the workers, in equal contiguous parts; 0:
// each worker is a place of its own.
comparison compare(const sennit::schedule& s, const sennit::schedule& earlier, std::string name,
                   unsigned nodes);

std::string text(const comparison& c);

}  // namespace command
