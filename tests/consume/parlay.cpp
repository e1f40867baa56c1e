// SPDX-License-Identifier: Apache-2.0
// As a program that knows ParlayLib only.
#include <parlay/primitives.h>

#include <cstddef>
#include <functional>

int main() {
  const auto values = parlay::tabulate(1000, [](std::size_t i) { return i; });
  const bool right = parlay::reduce(values, std::size_t{0}, std::plus<>()) == 499500;
  return right && parlay::num_workers() == 3 ? 0 : 1;
}
