// SPDX-License-Identifier: Apache-2.0
// Govedic, 2023, on one socket of the simulated 2 x 20 Xeon 6248.
#include "evidence/evidence.hpp"
#include "programs/loops.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace sennit::sim::evidence {

namespace {

const machine& socket() {
  static const machine m = find_machine("2x20");
  return m;
}

double speedup(const timed_program& p, unsigned workers, options how) {
  how.workers = workers;
  return p.serial_seconds / seconds(simulate(p.what, socket(), how).makespan);
}

constexpr std::array counts{1U, 2U, 4U, 8U, 12U, 16U, 20U};

// Halves down to one iteration, as DACPARFOR with G = 1; loop frames as the runtime has them, whose owners claim several
// iterations at a time where these are short.
json figure_4_1() {
  json all{{"machine", "2x20, one socket"}, {"seed", 1}};
  for (const timed_program& p : programs_of_001()) {
    if (p.name == "mm" || p.name == "blur") continue;
    std::vector<double> ratios;
    for (const unsigned workers : counts) {
      const double frames = speedup(p, workers, {.cut = loops::split_only});
      const double halves = speedup(p, workers, {.cut = loops::halves, .grain = 1});
      all["speedups"][p.name]["loop frames"][std::to_string(workers)] = rounded(frames);
      all["speedups"][p.name]["halves"][std::to_string(workers)] = rounded(halves);
      ratios.push_back(frames / halves);
    }
    all["ratio"][p.name] = rounded(geometric_mean(ratios));
  }
  return all;
}

json figure_5_5() {
  json all{{"machine", "2x20, one socket"}, {"seed", 1}};
  for (const timed_program& p : programs_of_001()) {
    if (p.name != "mm" && p.name != "blur") continue;
    const double one = speedup(p, 1, {});
    for (const unsigned workers : counts)
      all["speedups"][p.name][std::to_string(workers)] = rounded(speedup(p, workers, {}) / one);
    all["self_speedup"][p.name] = rounded(speedup(p, 20, {}) / one);
  }
  return all;
}

json combination() {
  static const machine eighty = find_machine("8x10");
  json all{{"machine", "8x10"}, {"seed", 1}, {"cores", 80}};
  for (const timed_program& p : programs_of_001()) {
    const auto took = [&](options how) {
      how.workers = 80;
      return seconds(simulate(p.what, eighty, how).makespan);
    };
    const std::map<std::string, double> theirs{
        {"loop frames", took({.by = steal::fence, .cut = loops::split_only})},
        {"halves, grain 1", took({.by = steal::fence, .cut = loops::halves, .grain = 1})},
        {"halves, grain n / 8 P", took({.by = steal::fence, .cut = loops::halves})}};
    all["programs"][p.name] = beside_the_best(p.name, theirs, {{"dealt and split", took({})}});
  }
  return all;
}

}  // namespace

std::vector<figure> figures_of_001() {
  return {{"combination/001", combination}, {"001/figure-4-1", figure_4_1}, {"001/figure-5-5", figure_5_5}};
}

}  // namespace sennit::sim::evidence
