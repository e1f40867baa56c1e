// How much of what each worker of a schedule ran was elsewhere in an earlier one, and so had its data there.
#pragma once

#include <sennit/schedule.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace command {

// Of one worker, or of all.
struct moved_work {
  std::uint64_t iterations = 0;  // of the loops that are compared
  std::uint64_t moved = 0;       // of these, what another worker or node ran before
  std::uint64_t steals = 0;
  std::uint64_t changed = 0;  // of these, what was not taken before, or by another worker or node
};

struct comparison {
  std::string with;         // the earlier schedule's name
  const char* elsewhere{};  // "another worker" or "another node"
  std::vector<moved_work> workers;

  moved_work all() const;
};

// Compared are the loops of the region's own strand that somebody has taken a part of in either, up to the
// first fork or child there: the tree does not say who is behind it. Where only one has taken a part, the
// strand alone ran the other's loop. What is in iterations counts as these do. `nodes`: the workers are on so
// many, in equal contiguous parts; 0: each is a place of its own.
comparison compare(const sennit::schedule& s, const sennit::schedule& earlier, std::string name,
                   unsigned nodes);

std::string text(const comparison& c);

}  // namespace command
