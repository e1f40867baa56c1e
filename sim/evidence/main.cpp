// SPDX-License-Identifier: Apache-2.0
// Simulates a figure of the papers, and writes what scripts/evidence keeps of it: sennit_evidence --list, sennit_evidence
// 004/figure-4.
#include "evidence/evidence.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

namespace sennit::sim::evidence {

double rounded(double value) { return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr); }

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += std::log(v);
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

json beside_the_best(std::string_view program, const std::map<std::string, double>& theirs,
                     const std::map<std::string, double>& ours) {
  json row;
  const auto best_of = [&](const char* whose, const std::map<std::string, double>& seconds) {
    const auto best = std::ranges::min_element(seconds, {}, &std::pair<const std::string, double>::second);
    for (const auto& [way, took] : seconds) row[whose][way] = rounded(took);
    row[std::string("best of ") + whose] = best->first;
    return best->second;
  };
  const double best_of_theirs = best_of("theirs", theirs);
  const double best_of_ours = best_of("ours", ours);
  row["ratio"] = rounded(best_of_theirs / best_of_ours);
  fmt::print(stderr, "{}: {}\n", program, row.dump());
  return row;
}

namespace {

int run(int argc, char** argv) {
  std::vector<figure> all;
  for (auto* of :
       {figures_of_000, figures_of_001, figures_of_002, figures_of_003, figures_of_004, figures_of_ranks})
    for (const figure& f : of()) all.push_back(f);
  const std::string asked = argc == 2 ? argv[1] : "";
  for (const figure& f : all) {
    if (asked == "--list") fmt::print("{}\n", f.name);
    if (asked != f.name) continue;
    fmt::print("{}\n", f.simulated().dump(1));
    return 0;
  }
  if (asked == "--list") return 0;
  fmt::print(stderr, "sennit_evidence: no figure is called '{}'; --list names them\n", asked);
  return 2;
}

}  // namespace

}  // namespace sennit::sim::evidence

int main(int argc, char** argv) {
  try {
    return sennit::sim::evidence::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "sennit_evidence: {}\n", error.what());
    return 1;
  }
}
