// SPDX-License-Identifier: Apache-2.0
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
  unsigned workers = 0;  // 0: the runtime's choice
  double share = 5;      // of the time, in percent, for promotions and beats
  double seconds = 8;    // approximate time for the measurements
  std::string json{};    // empty: not written
};

// A source with one period and one number of workers.
struct tuned {
  sennit::beat_source_kind source;
  std::chrono::nanoseconds period;
  unsigned workers;
  beat_measurement measured;
};

struct choice {
  std::chrono::nanoseconds period;
  sennit::beat_source_kind source;
  double beat_us;  // what a beat costs
  // The periods that would have been chosen at the ends of the 95% intervals of the costs.
  std::chrono::nanoseconds least;
  std::chrono::nanoseconds most;
};

// Chooses the cheapest source that reaches its rate while all workers get beats. Chooses the shortest period
// for which a beat and its promotion take at most this share of the time. This is the tuning of Rainey et
// al., "Task Parallel Assembly Language for Uncompromising Parallelism" (2021), §2.2, where ♥ is "just large
// enough to amortize the creation of a new task". `promotions_us` are measurements of the cost of that creation.
// Nothing if no source with signals reaches its rate.
std::optional<choice> choose(const std::vector<tuned>& measured, const std::vector<double>& promotions_us,
                             double share);
// The same without signals: promotion by the thief's own clock.
std::chrono::nanoseconds period_without_beats(double promotion_us, double share);

// Why nothing may be proposed from these measurements: other programs ran, or the costs vary too much. Empty if
// something may be.
std::string doubt(const std::vector<tuned>& measured, const std::vector<double>& promotions_us, double share);

// False if nothing can be proposed, after some repetitions; it has said why.
bool tune(const tune_options& options);

}  // namespace command
