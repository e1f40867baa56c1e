// What it costs to be beaten, and how well a source of beats keeps time.
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
  unsigned workers;                // all of them at work
  std::chrono::nanoseconds slice;  // about so long they work, beaten and not, by turns
  unsigned repeat = 5;             // pairs of slices
};

struct beat_measurement {
  double rate_reached = 0;   // beats that came, of those asked for; the worst worker's
  double jitter_p50_us = 0;  // |interval - period| between one beat and the next
  double jitter_p99_us = 0;
  std::vector<double> us_per_beat;  // by which it slows down the program, of each pair of slices
  std::vector<double> slow_down;    // time beaten over time not beaten
  // Of the time of the work that is not beaten, how much the workers had a CPU: less than 1 where others run.
  double had_cpu = 1;
};

// Throws what sennit::beats does.
beat_measurement measure_beats(const beat_plan& plan);

// In which the median of such samples lies with a confidence of 95%, by the bootstrap. Precondition: not empty.
struct interval {
  double low;
  double high;
};
interval interval_of_median(const std::vector<double>& samples);

// What a promotion costs, in us: a join whose second branch another worker takes at once. Of several batches; empty where
// there is one worker only.
std::vector<double> measure_stolen_forks(unsigned workers, std::chrono::nanoseconds budget);
// The same for a child of a task_group that its own worker runs.
std::vector<double> measure_children(std::chrono::nanoseconds budget);

}  // namespace command
