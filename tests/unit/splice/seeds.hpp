// SPDX-License-Identifier: Apache-2.0
// Random tests of a front that walks trees.
#pragma once

#include <sennit/runtime.hpp>

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace sennit_test {

// Calls the test with random numbers from each seed, in a runtime of one worker, until one fails.
template <class Test>
void for_seeds(unsigned count, const Test& test) {
  sennit::runtime rt({.workers = 1});
  rt.run([&] {
    for (unsigned seed = 0; seed < count && !testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      std::mt19937 random(seed);
      test(random);
    }
  });
}

}  // namespace sennit_test
