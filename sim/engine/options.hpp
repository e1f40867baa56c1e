// SPDX-License-Identifier: Apache-2.0
// How a program is run on a simulated machine.
#pragma once

#include "engine/schedule.hpp"
#include "time/picoseconds.hpp"

#include <cstdint>

namespace sennit::sim {

// When a latent frame becomes work for others.
enum class promotion : std::uint8_t {
  on_demand,  // when a thief comes
  paced,      // when a thief comes, but once a beat at most
  heartbeat,  // the oldest at each beat, by a signal, whether or not somebody waits (003)
  eager       // at once, when it is pushed
};

// How a thief gets a frame of a running owner.
enum class steal : std::uint8_t {
  ask,      // from the owner at its next fork, join or chunk; behind a barrier if the owner is silent
  barrier,  // behind a barrier, at once
  fence     // at once; the owner pays for a fence at each join
};

// Where a thief looks.
enum class victims : std::uint8_t {
  random,   // uniform
  nearest,  // mostly in its own cache and node
  colored   // for its own color first, then uniform (002)
};

enum class loops : std::uint8_t {
  split,       // dealt to those who wait, then halved on the fly (001)
  split_only,  // halved on the fly
  places,      // dealt so that equal parts go to the same workers each time, then halved
  halves       // divided and conquered down to a grain, by forks
};

// Whether an earlier run's schedule is followed (004).
enum class replay : std::uint8_t { none, strict_ordered, strict_unordered, relaxed };

// A policy with a mistake, so that tests can show that they would see it.
enum class fault : std::uint8_t {
  none,
  newest_frame,  // thieves take the newest frame
  no_wakes,      // pushes wake nobody
  no_period,     // a promotion may follow the other at once, whatever the beat
  own_color,     // thieves take nothing but their own color
  no_lateness,   // in a relaxed replay, nobody takes what a worker is late for, and frames are open at once
  no_limit,      // a splice delays calls beyond the limit
  no_thieves_of_rows  // interleaved calls are all one worker's
};

struct options {
  unsigned workers = 0;  // 0: one for each core of the machine
  std::uint64_t seed = 1;
  promotion how = promotion::on_demand;
  picoseconds heartbeat = 100'000 * nanosecond;
  steal by = steal::ask;
  victims from = victims::random;
  loops cut = loops::split;
  std::uint64_t grain = 0;  // of loops::halves, in iterations; 0: iterations / (8 * workers)
  replay follow = replay::none;
  const steal_schedule* schedule = nullptr;           // to follow
  const std::vector<std::uint32_t>* homes = nullptr;  // nodes of the first blocks; others: by first touch
  std::int64_t most_delayed = 4096;               // of a splice: policy::is_crowded; -1: policy::most_delayed
  picoseconds spliced_step = 1'000 * nanosecond;  // effects, comparisons and switches for a step
  bool record = false;                            // run_result::schedule
  bool timeline = false;                          // run_result::timeline
  bool sleepers = true;  // idle workers sleep after a while; else they search for ever
  fault broken = fault::none;
  // At the beginning, all workers but the first sleep, as before a program's first region; else they search.
  bool asleep_at_first = false;
};

}  // namespace sennit::sim
