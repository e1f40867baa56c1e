// SPDX-License-Identifier: Apache-2.0
// What a simulated run took, and why.
#pragma once

#include "engine/schedule.hpp"
#include "time/picoseconds.hpp"

#include <cstdint>
#include <vector>

namespace sennit::sim {

// What a worker does at a time.
enum class activity : std::uint8_t {
  working,    // strands, with the time of their memory
  forking,    // forks, joins, claims of chunks, promotions, and answers to thieves
  searching,  // looks at deques in vain
  stealing,   // steals that have found something, without their barriers
  barrier,    // waits for a barrier, its own or one that holds a deque
  waking,     // calls of sleepers; falls asleep and comes back
  asleep
};
inline constexpr unsigned activities = 7;

struct worker_result {
  picoseconds spent[activities] = {};  // by activity; they sum to the makespan
  std::uint64_t steals = 0;
  std::uint64_t failed_steals = 0;
  std::uint64_t strands = 0;
  picoseconds of(activity a) const noexcept { return spent[static_cast<unsigned>(a)]; }
  bool operator==(const worker_result&) const = default;
};

struct slice {
  std::uint32_t worker = 0;
  std::uint32_t site = 0;
  activity what = activity::working;
  picoseconds begin = 0;
  picoseconds end = 0;
  bool operator==(const slice&) const = default;
};

// Of all splices.
struct splice_counts {
  std::uint64_t steps = 0;
  std::uint64_t checks = 0;        // comparisons of two steps
  std::uint64_t switches = 0;      // from call to call
  std::uint64_t delayed = 0;       // calls of which something was left when their row had been walked
  std::uint64_t most_delayed = 0;  // of those, at a time
  std::uint64_t most_calls = 0;    // that were open at a time: each has a stack
  bool operator==(const splice_counts&) const = default;
};

struct run_result {
  unsigned workers_used = 0;
  picoseconds makespan = 0;
  // Sums over the workers. `work` is that of strands with the time of their memory; `overhead` all else that is neither idle
  // nor asleep: forks, steals, promotions, wakes.
  picoseconds work = 0;
  picoseconds overhead = 0;
  std::uint64_t strands = 0;  // pieces of work that were run
  std::uint64_t forks = 0;
  std::uint64_t steals = 0;
  std::uint64_t failed_steals = 0;  // with those that are only counted
  std::uint64_t wakes = 0;
  std::uint64_t vain_wakes = 0;
  std::uint64_t barriers = 0;
  std::uint64_t promotions = 0;
  std::uint64_t suspensions = 0;
  std::uint64_t events = 0;        // of the simulator
  std::uint64_t most_frames = 0;   // that were latent in one deque at a time
  std::uint64_t most_records = 0;  // of open constructs, over all workers, at a time: the space of the run
  std::uint64_t local_bytes = 0;
  std::uint64_t remote_bytes = 0;
  std::uint64_t local_accesses = 0;
  std::uint64_t remote_accesses = 0;
  std::uint64_t misses = 0;
  splice_counts splices;
  std::vector<worker_result> workers;
  std::vector<slice> timeline;       // by worker and time, if asked for
  steal_schedule schedule;           // if asked for
  std::vector<std::uint32_t> homes;  // of each block, at the end: the node

  // Which part of the workers' time was work: 1 is perfect.
  double efficiency() const noexcept {
    return makespan == 0 ? 1
                         : static_cast<double>(work) /
                               (static_cast<double>(makespan) * static_cast<double>(workers_used));
  }
  bool operator==(const run_result&) const = default;
};

}  // namespace sennit::sim
