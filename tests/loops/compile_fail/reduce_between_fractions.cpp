// SPDX-License-Identifier: Apache-2.0
// A bound is an integer.
#include <sennit/parallel_reduce.hpp>

double area(double width) {
  return sennit::parallel_reduce(0.0, width, 0.0, [](double x) { return x * x; });
}
