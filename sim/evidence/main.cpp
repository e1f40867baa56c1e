// Simulates a figure of the papers, and writes what scripts/evidence keeps of it: sennit_evidence --list, sennit_evidence
// 004/figure-4.
#include "evidence/evidence.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace sennit::sim::evidence {

double rounded(double value) { return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr); }

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += std::log(v);
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

namespace {

int run(int argc, char** argv) {
  std::vector<figure> all;
  for (auto* of : {figures_of_000, figures_of_001, figures_of_002, figures_of_003, figures_of_004, figures_of_ranks})
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
