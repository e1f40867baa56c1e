// SPDX-License-Identifier: Apache-2.0
// Loops that meet their data where they left them, without a schedule in sight.
#include "../core/support.hpp"
#include "programs.hpp"

#include <sennit/sennit.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace {

using sennit_test::settings;
using sennit_test::under;
using sennit_test::work_for;

TEST(Affinity, KeepsIterationsWhereTheyWere) {
  // Catches: a loop that is balanced anew each time, or not at all.
  under(settings({4}), [](sennit::runtime& rt) {
    rt.run([] {
      constexpr unsigned n = 64;
      sennit::affinity here;
      std::vector<unsigned> before(n);
      std::vector<unsigned> now(n);
      double least_moved = 1;
      for (int phase = 0; phase < 30; ++phase) {
        sennit::parallel_for(
            0U, n,
            [&](unsigned i) {
              std::this_thread::sleep_for(std::chrono::microseconds(500));
              now[i] = sennit::worker_index();
            },
            here);
        unsigned moved = 0;
        for (unsigned i = 0; i < n; ++i) moved += now[i] != before[i] ? 1 : 0;
        if (phase > 0) least_moved = std::min(least_moved, double(moved) / n);
        std::swap(before, now);
      }
      EXPECT_LE(least_moved, 0.05);
      EXPECT_GT(std::ranges::count_if(before, [&](unsigned by) { return by != before[0]; }), n / 2);
    });
  });
}

TEST(Affinity, IsForAnyLoop) {
  // Catches: an iteration that is lost where the loop's length changes, a serial elision that does not compile, a loop
  // in a recorded region or outside any runtime.
  sennit::affinity here;
  for (const unsigned n : {0U, 1U, 7U, 1000U, 20U, 5000U, 5000U, 5000U}) {
    std::vector<std::atomic<int>> times(n);
    sennit::parallel_for(n, [&](unsigned i) { ++times[i]; }, here);
    sennit::serial::parallel_for(n, [&](unsigned i) { ++times[i]; }, here);
    sennit::parallel_for(times, [&](std::atomic<int>& t) { ++t; }, here);
    for (unsigned i = 0; i < n; ++i) ASSERT_EQ(times[i], 3);
  }
  std::atomic<int> recorded{0};
  (void)sennit::record([&] { sennit::parallel_for(0, 8, [&](int) { ++recorded; }, here); });
  sennit::affinity moved = std::move(here);
  sennit::parallel_for(0, 8, [&](int) { ++recorded; }, moved);
  EXPECT_EQ(recorded, 16);
}

TEST(Affinity, ShortLoopsCostWhatSerialOnesCost) {
  if (SENNIT_TSAN) GTEST_SKIP() << "its checks take most of the time of short loops";
  // Catches: a schedule that is followed where that takes as long as the loop; a short loop that is not run whole. The best
  // of many, as other programs run beside it. A parallel loop without affinity would be no measure: two workers share its
  // luckiest run.
  under(settings({2}), [](sennit::runtime& rt) {
    rt.run([] {
      sennit::affinity here;
      std::vector<int> times(50);
      const auto body = [](int& t) {
        work_for(std::chrono::microseconds(1));
        ++t;
      };
      int loops = 0;
      const auto time_of = [&](std::chrono::nanoseconds& best, auto&& loop) {
        for (int i = 0; i < 100; ++i, ++loops) {
          const auto begin = std::chrono::steady_clock::now();
          loop();
          best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - begin);
        }
      };
      std::chrono::nanoseconds serial = std::chrono::hours(1);
      std::chrono::nanoseconds with = serial;
      for (int batch = 0; batch < 40 && (batch < 3 || with >= serial * 5 / 4); ++batch) {
        time_of(serial, [&] { std::ranges::for_each(times, body); });
        time_of(with, [&] { sennit::parallel_for(times, body, here); });
      }
      EXPECT_LT(with, serial * 5 / 4);
      for (const int t : times) EXPECT_EQ(t, loops);
      EXPECT_THROW(sennit::parallel_for(
                       times, [](int&) { throw std::runtime_error("first"); }, here),
                   std::runtime_error);
    });
  });
}

TEST(Affinity, ThatWasMovedFromDoesNothing) {
  // Catches: a loop that reads what has gone to another affinity.
  sennit::affinity from;
  sennit::affinity to = std::move(from);
  std::atomic<int> sum{0};
  sennit::parallel_for(0, 100, [&](int) { ++sum; }, from);
  sennit::parallel_for(0, 100, [&](int) { ++sum; }, to);
  EXPECT_EQ(sum, 200);
}

TEST(Affinity, PassesExceptionsOn) {
  // Catches: an affinity that cannot be used after a loop has thrown.
  sennit::affinity here;
  for (int round = 0; round < 5; ++round) {
    EXPECT_THROW(sennit::parallel_for(
                     0, 100,
                     [](int i) {
                       if (i == 50) throw std::runtime_error("fifty");
                     },
                     here),
                 std::runtime_error);
    std::atomic<int> sum{0};
    sennit::parallel_for(0, 100, [&](int) { ++sum; }, here);
    EXPECT_EQ(sum, 100);
  }
}

}  // namespace
