// SPDX-License-Identifier: Apache-2.0
// A generator that each worker would have a copy of, or all of them one.
#include <sennit/parallel_for.hpp>

#include <random>
#include <vector>

void generate(std::vector<double>& x) {
  sennit::parallel_for(
      x, [engine = std::minstd_rand()](double& v) mutable { v = static_cast<double>(engine()); });
}
