// SPDX-License-Identifier: Apache-2.0
// The cost of beats, and how exactly a source of beats keeps its period.
#pragma once

#include <sennit/beats.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace command {

struct beat_plan {
  sennit::beat_source_kind source;
  std::chrono::nanoseconds period;
  unsigned workers;  // all of them at work
  std::chrono::nanoseconds
      slice;            // approximate length of a measurement with beats, and of one without, in turn
  unsigned repeat = 5;  // pairs of slices
};

struct beat_measurement {
  double rate_reached = 0;   // beats that arrived, as a share of those requested; for the worst worker
  double jitter_p50_us = 0;  // |interval - period| between one beat and the next
  double jitter_p99_us = 0;
  std::vector<double> us_per_beat;  // the slowdown of the program for each beat, from each pair of slices
  std::vector<double> slow_down;    // time with beats divided by time without
  // The share of the time without beats in which the workers had a CPU: less than 1 if other programs run.
  double had_cpu = 1;
};

// Throws what sennit::beats throws.
beat_measurement measure_beats(const beat_plan& plan);

// The interval that contains the median of such samples with a confidence of 95%, by the bootstrap.
// Precondition: there are samples.
struct interval {
  double low;
  double high;
};
interval interval_of_median(const std::vector<double>& samples);

// The cost of a promotion in us, from several batches: a join whose second branch another worker steals at
// once. Empty if there is only one worker.
std::vector<double> measure_stolen_forks(unsigned workers, std::chrono::nanoseconds budget);
// The same for a child of a task_group that its own worker runs.
std::vector<double> measure_children(std::chrono::nanoseconds budget);

}  // namespace command
