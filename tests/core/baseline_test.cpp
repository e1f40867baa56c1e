// SPDX-License-Identifier: Apache-2.0
// baseline::dac_for: the loop that others are compared with must itself be right.
#include "support.hpp"

#include <sennit/baseline.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace sennit_test {
namespace {

// Catches halves that overlap, a last iteration that is left out, and a grain of 0 that never ends.
TEST(baseline, runs_each_iteration_once) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    for (const int n : {0, 1, 2, 3, 7, 64, 1000}) {
      for (const std::uint64_t grain : {0, 1, 2, 10, 5000}) {
        std::vector<std::atomic<int>> times(static_cast<std::size_t>(n));
        rt.run([&] {
          sennit::baseline::dac_for(0, n, [&](int i) { ++times[static_cast<std::size_t>(i)]; }, grain);
        });
        for (const std::atomic<int>& count : times)
          EXPECT_EQ(count, 1) << n << " iterations, grain " << grain;
      }
    }
  });
}

// Catches arithmetic that overflows, or that is promoted to int, where the range is as wide as its type.
TEST(baseline, takes_the_widest_ranges) {
  under(settings({2}), [](sennit::runtime& rt) {
    std::atomic<int> sum{0};
    std::atomic<int> chunks{0};
    rt.run([&] {
      sennit::baseline::dac_for(std::int8_t{-128}, std::int8_t{127}, [&](std::int8_t i) { sum += i; }, 1);
      sennit::baseline::dac_for(5, -5, [&](int) { ++chunks; }, 1);
      const std::int64_t last = std::numeric_limits<std::int64_t>::max();
      sennit::baseline::dac_for(last - 3, last, [&](std::int64_t) { ++chunks; }, 1);
    });
    EXPECT_EQ(sum, -128 - 127);
    EXPECT_EQ(chunks, 3);
  });
}

// Catches the exception of the half that ended first in place of the lowest iteration's.
TEST(baseline, throws_what_the_lowest_iteration_threw) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    try {
      rt.run([] {
        sennit::baseline::dac_for(
            0, 100,
            [](int i) {
              if (i >= 30) throw i;
            },
            1);
      });
      FAIL() << "nothing was thrown";
    } catch (int i) {
      EXPECT_EQ(i, 30);
    }
  });
}

}  // namespace
}  // namespace sennit_test
