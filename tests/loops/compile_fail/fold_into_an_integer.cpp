// SPDX-License-Identifier: Apache-2.0
// Each sum would lose its fraction, and nobody would see it.
#include <sennit/parallel_fold.hpp>

#include <functional>
#include <vector>

double sum(const std::vector<double>& numbers) {
  return sennit::parallel_fold(numbers, 0, [](double s, double x) { return s + x; }, std::plus<>());
}
