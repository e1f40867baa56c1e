// SPDX-License-Identifier: Apache-2.0
// Simulations of the papers' figures. Each gives what a figure needs as JSON.
#pragma once

#include "engine/simulate.hpp"
#include "machine/machine_file.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sennit::sim::evidence {

using json = nlohmann::ordered_json;

struct figure {
  std::string_view name;  // paper/figure, as scripts/evidence asks for it
  json (*simulated)();
};

std::vector<figure> figures_of_000();
std::vector<figure> figures_of_001();
std::vector<figure> figures_of_002();
std::vector<figure> figures_of_003();
std::vector<figure> figures_of_004();
std::vector<figure> figures_of_ranks();

// A row of the table that sets Sennit beside the best of a paper's schedulers: seconds of both by name, and the best of theirs
// over the best of ours.
json beside_the_best(std::string_view program, const std::map<std::string, double>& theirs,
                     const std::map<std::string, double>& ours);

inline double seconds(picoseconds time) { return static_cast<double>(time) * 1e-12; }

// To four digits, so that files stay small and change only where something has changed.
double rounded(double value);

double geometric_mean(const std::vector<double>& values);

}  // namespace sennit::sim::evidence
