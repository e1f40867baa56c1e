// Runs a kernel on the runtime and as its serial elision, by turns, and compares all results.
#pragma once

#include "gallery/kernel.hpp"

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
  unsigned workers = 0;  // 0: as many as the runtime chooses
  unsigned repeat = 3;
  bool count_forks = true;
  bool record = false;  // one more run on the runtime, for its schedule
  // When it is spent, no further pair of runs is started; 0: no limit.
  std::chrono::duration<double> budget{0};
};

struct side {
  std::vector<double> seconds;
  // Of the process while this side ran, or since its start if that is all there is.
  std::optional<double> peak_mib;
};

struct measurement {
  unsigned workers = 0;
  side serial;
  side parallel;
  std::optional<std::uint64_t> forks;
  std::vector<std::uint64_t> steals;
  std::any result;
  std::string description;    // of the result
  sennit::schedule schedule;  // of the run that was recorded
  std::string complaint;      // why the results are wrong; empty if all are right

  double speedup() const;
};

double median(std::vector<double> samples);
std::uint64_t median(std::vector<std::uint64_t> samples);

// Measures a kernel that is prepared, and says at each step what it is about to do.
// Stops at the first wrong result.
measurement measure(const gallery::kernel& kernel, const plan& p,
                    const std::function<void(std::string_view)>& progress);

}  // namespace command
