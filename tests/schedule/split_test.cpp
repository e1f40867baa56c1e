// SPDX-License-Identifier: Apache-2.0
// Where a split cuts a loop: by weights, and as a schedule has it.
#include "trees.hpp"

#include <sennit/distribution.hpp>
#include <sennit/schedule.hpp>
#include <sennit/split.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace sennit_test {
namespace {

using sennit::split;

std::vector<std::uint64_t> begins(const split& s, std::uint64_t n) {
  std::vector<std::uint64_t> found;
  for (std::size_t i = 0; i <= s.parts(); ++i) found.push_back(s.begin_of(i, n));
  return found;
}
using places = std::vector<std::uint64_t>;

TEST(Split, CutsInProportion) {
  EXPECT_EQ(begins({1, 1}, 10), (places{0, 5, 10}));
  EXPECT_EQ(begins({5, 1, 4}, 1000), (places{0, 500, 600, 1000}));
  EXPECT_EQ(begins({0, 3, 0}, 7), (places{0, 0, 7, 7}));
  EXPECT_EQ(begins({1, 1, 1}, 0), (places{0, 0, 0, 0}));
  EXPECT_EQ(split({1, 3}).begin_of(1, std::uint64_t{1} << 61), std::uint64_t{1} << 59);
}

// Catches parts that overlap.
TEST(Split, NeverGoesBack) {
  const split thirds{0.1, 0.2, 0.3, 0, 0.1};
  for (std::uint64_t n = 0; n < 1000; ++n) {
    const places all = begins(thirds, n);
    EXPECT_EQ(all.front(), 0U);
    EXPECT_EQ(all.back(), n);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  }
}

TEST(Split, RefusesWhatIsNoProportion) {
  EXPECT_THROW(split(std::vector<double>()), std::invalid_argument);
  EXPECT_THROW(split({0, 0}), std::invalid_argument);
  EXPECT_THROW(split({2, -1}), std::invalid_argument);
  EXPECT_THROW(split({1, std::numeric_limits<double>::quiet_NaN()}), std::invalid_argument);
  EXPECT_THROW(split({1e308, 1e308}), std::invalid_argument);
}

TEST(Split, IsThatOfASchedule) {
  const sennit::schedule quarters = sennit::block_distribution(1024, 4, 2);
  EXPECT_EQ(begins(split(quarters), 100), (places{0, 25, 50, 75, 100}));
  EXPECT_EQ(begins(split(quarters, 1), 8), (places{0, 2, 4, 6, 8}));
  // What is not there nobody has taken a part of.
  EXPECT_EQ(begins(split(quarters, 2), 8), (places{0, 8}));
  EXPECT_EQ(begins(split(sennit::schedule()), 8), (places{0, 8}));
}

// Catches parts by the workers of the region where they are by those of the loop.
TEST(Split, CountsFromTheWorkerThatBeganTheLoop) {
  const auto part = [](std::uint32_t by) { return taken(node(kind::fork, 1), {by}); };
  const steal moved = loop(0, 1024, {waited(taken(node(kind::fork, 0), {2}), {2})});
  steal_tree tree = numbered({3, 0, {moved, loop(1, 1024, {part(0)})}});
  const sennit::schedule s = sennit::detail::schedule_access::make(sennit::detail::hold(std::move(tree)));
  EXPECT_EQ(begins(split(s, 0), 100), (places{0, 50, 50, 100}));
  // Worker 2 has three quarters; 0 comes next after it.
  EXPECT_EQ(begins(split(s, 1), 100), (places{0, 75, 100, 100}));
}

}  // namespace
}  // namespace sennit_test
