// SPDX-License-Identifier: Apache-2.0
// What the steps of the runtime and the system's calls cost on this machine, and how far its memory is.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace command {

// Each function measures for about this long. It returns the median of batches; of what takes two threads at once, the lower
// quartile, as other programs may take their CPUs meanwhile.
using probe_time = std::chrono::nanoseconds;

// Nanoseconds of one: a fork that nobody steals; a fence; a chunk of a loop; a child of a group that its own worker runs.
double probe_fork(probe_time budget);
double probe_fence(probe_time budget);
double probe_loop_chunk(probe_time budget);
double probe_child(probe_time budget);
double probe_lock(probe_time budget);

// From a fork to the first instruction of its branch on another worker, while the owner forks on and on. 0 if the machine has
// one core, or if no branch was stolen.
double probe_steal(probe_time budget);

// A cache line that one CPU has written, until the other has it. 0 if the CPUs are one.
double probe_transfer(unsigned cpu, unsigned other, probe_time budget);

struct signal_costs {
  double send = 0;
  double take = 0;
};
signal_costs probe_signals(unsigned cpu, unsigned other, probe_time budget);

struct sleep_costs {
  double park = 0;
  double wake_call = 0;
  double wake_latency = 0;
};
sleep_costs probe_sleep(unsigned cpu, unsigned other, probe_time budget);

// A membarrier while threads run on all these CPUs, and what it costs one of the others. 0 if the system has none.
struct barrier_costs {
  double takes = 0;
  double interrupts = 0;
};
barrier_costs probe_barrier(const std::vector<unsigned>& cpus, probe_time budget);

// So many bytes in pages that a thread on `home` has touched first, read by a thread on `cpu`, each line at the address that
// the one before it gives: the nanoseconds of a line.
double probe_latency(std::size_t bytes, unsigned home, unsigned cpu, probe_time budget);
// The same bytes for each of the CPUs, which read them in a row, all at once: the MB/s of all.
double probe_bandwidth(std::size_t bytes, unsigned home, const std::vector<unsigned>& cpus,
                       probe_time budget);

}  // namespace command
