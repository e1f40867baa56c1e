// SPDX-License-Identifier: Apache-2.0
// How two lanes are forked. What depends on the other strand at the same time is for the models.
#include "splice/lane_fork.hpp"

#include <sennit/runtime.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using sennit::detail::fork_lanes;
using sennit::detail::splice_log;

struct nothing_noted : splice_log {
  void note(sennit::detail::spliced_call&) override {}
  void note(std::uint32_t, const void*) override {}
  pair fork() override { return {*this, *this}; }
};

// A log that hands on two others, once.
struct two_logs final : nothing_noted {
  pair fork() override {
    ++forks;
    return {left, right};
  }
  int forks = 0;
  nothing_noted left;
  nothing_noted right;
};

// Catches: a strand that walks both lanes, and leaves a seam all the same.
TEST(LaneFork, OneWorkerIsAloneInTheSecondLane) {
  sennit::runtime runtime({.workers = 1});
  bool first = false;
  runtime.run([&] {
    fork_lanes(
        nullptr,
        [&](splice_log* log) {
          EXPECT_EQ(log, nullptr);
          first = true;
        },
        [&](bool alone, splice_log* log) {
          EXPECT_EQ(log, nullptr);
          EXPECT_TRUE(first);
          EXPECT_TRUE(alone);
        });
  });
  EXPECT_TRUE(first);
}

// Catches: a noted order in which the second lane comes after the first one, while a later run has both at once.
TEST(LaneFork, WithALogTheLanesArePartedAndHaveLogsOfTheirOwn) {
  sennit::runtime runtime({.workers = 1});
  two_logs all;
  int walked = 0;
  runtime.run([&] {
    fork_lanes(
        &all,
        [&](splice_log* log) {
          EXPECT_EQ(log, &all.left);
          ++walked;
        },
        [&](bool alone, splice_log* log) {
          EXPECT_EQ(log, &all.right);
          EXPECT_FALSE(alone);
          ++walked;
        });
  });
  EXPECT_EQ(all.forks, 1);
  EXPECT_EQ(walked, 2);
}

}  // namespace
