// SPDX-License-Identifier: Apache-2.0
// A second translation unit, in which ParlayLib's header includes the plug-in.
#include <gtest/gtest.h>
#include <parlay/primitives.h>

namespace {

// Catches a plug-in that cannot be enabled from within ParlayLib, or defines something twice in a program.
TEST(parlay_patched, runs_on_the_same_runtime) {
  parlay::par_do([] { EXPECT_EQ(parlay::worker_id(), 0U); }, [] {});
  const auto values = parlay::tabulate(1000, [](std::size_t i) { return i; }, 1);
  EXPECT_EQ(parlay::reduce(values, std::size_t{0}, std::plus<>()), 499500U);
}

}  // namespace
