// `sennit tune`
#pragma once

#include "tools/sennit/beat_cost.hpp"

#include <sennit/beats.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace command {

struct tune_options {
  unsigned workers = 0;  // 0: as many as the runtime chooses
  double share = 5;      // of the time, in percent, that promotions and beats may take
  double seconds = 8;    // to spend, about
  std::string json{};    // empty: not written
};

// A source with one period on one number of workers.
struct tuned {
  sennit::beat_source_kind source;
  std::chrono::nanoseconds period;
  unsigned workers;
  beat_measurement measured;
};

struct choice {
  std::chrono::nanoseconds period;
  sennit::beat_source_kind source;
};

// The source that costs least and reaches its rate where all workers are beaten, and the least period at which a beat and
// the promotion that it brings take at most that share of the time: the tuning of Rainey et al., "Task Parallel Assembly
// Language for Uncompromising Parallelism" (2021), §2.2, where ♥ is "just large enough to amortize the creation of
// a new task". `promotion_us` is that creation's cost. None: no source with signals reaches its rate.
std::optional<choice> choose(const std::vector<tuned>& measured, double promotion_us, double share);
// The same without a signal: promotion on the thief's own clock.
std::chrono::nanoseconds period_without_beats(double promotion_us, double share);

void tune(const tune_options& options);

}  // namespace command
