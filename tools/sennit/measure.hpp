// SPDX-License-Identifier: Apache-2.0
// Runs a kernel alternately on the runtime and as its serial elision, and compares all results.
#pragma once

#include "gallery/kernel.hpp"

#include <sennit/replay.hpp>
#include <sennit/schedule.hpp>

#include <any>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace command {

struct plan {
  unsigned workers = 0;  // 0: the runtime's choice
  unsigned repeat = 3;
  bool count_forks = true;
  bool record = false;  // one further run on the runtime, for its schedule; by `followed`, if that is given
  // In each pair of runs, one more, which follows a schedule.
  std::optional<sennit::schedule> followed{};
  sennit::fidelity how = sennit::relaxed;
  // Once this time has passed, no further pair of runs begins; 0: no limit.
  std::chrono::duration<double> budget{0};
};

struct side {
  std::vector<double> seconds;
  // The memory of the process while this side ran; if that is not available, since the start of the process.
  std::optional<double> peak_mib;
};

struct measurement {
  unsigned workers = 0;
  side serial;
  side parallel;
  side replayed;  // empty unless a schedule is followed
  std::optional<std::uint64_t> forks;
  std::vector<std::uint64_t> steals;
  std::any result;
  std::string description;    // of the result
  sennit::schedule schedule;  // of the recorded run
  std::string complaint;      // why the results are wrong; empty if all are correct

  double speedup() const;
};

double median(std::vector<double> samples);
std::uint64_t median(std::vector<std::uint64_t> samples);

// Measures a prepared kernel, and reports each step before it begins. Stops at the first wrong result.
measurement measure(const gallery::kernel& kernel, const plan& p,
                    const std::function<void(std::string_view)>& progress);

}  // namespace command
