// SPDX-License-Identifier: Apache-2.0
// The picture of how a program scales.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace command {

struct curve_point {
  unsigned workers;
  double least;                     // by the burdened span
  std::optional<double> simulated;  // empty: it was not
  double most;                      // by work and span
};

// As SVG, for light and for dark pages. `points` are in the order of their workers, and there is one at least.
std::string speedup_curve(const std::vector<curve_point>& points, std::string_view title);

}  // namespace command
