// SPDX-License-Identifier: Apache-2.0
// The loops of the execution policies: the same calls under each, in the order of the iterations in the
// elision.
#include <sennit/serial.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using testing::ElementsAre;

template <class P>
class Policy : public testing::Test {};
using policies = testing::Types<sennit::parallel, sennit::serial, sennit::counted_serial>;
TYPED_TEST_SUITE(Policy, policies);

// Catches: an iteration left out or run twice, and bounds of different types that are compared as they are.
TYPED_TEST(Policy, RunsEachIterationOnce) {
  std::array<std::atomic<int>, 100> runs{};
  TypeParam::parallel_for(0, runs.size(), [&](std::size_t i) { ++runs[i]; });
  for (const std::atomic<int>& n : runs) EXPECT_EQ(n, 1);
}

TYPED_TEST(Policy, RunsNothingOverNothing) {
  std::vector<int> none;
  const auto fail = [](auto&&...) { ADD_FAILURE(); };
  TypeParam::parallel_for(5, 5, [&](int i) { fail(i); });
  TypeParam::parallel_for(5, -5, [&](int i) { fail(i); });
  TypeParam::parallel_for(5, -5, [&](int from, int to) { fail(from, to); });
  TypeParam::parallel_for(none, [&](int& i) { fail(i); });
  TypeParam::parallel_for(none.begin(), none.end(), [&](auto from, auto to) { fail(from, to); });
  EXPECT_EQ(TypeParam::parallel_reduce(5, -5, 42, [](int i) { return i; }), 42);
}

// Catches: a bound that cannot be passed, so that the loop does not end.
TYPED_TEST(Policy, ReachesTheLastInteger) {
  constexpr std::int8_t most = std::numeric_limits<std::int8_t>::max();
  std::atomic<int> runs{0};
  TypeParam::parallel_for(std::int8_t{-128}, most, [&](std::int8_t) { ++runs; });
  EXPECT_EQ(runs, 255);
}

TYPED_TEST(Policy, GivesABodyOfTwoItsChunks) {
  std::array<std::atomic<int>, 100> runs{};
  TypeParam::parallel_for(0, 100, [&](int from, int to) {
    EXPECT_LT(from, to);
    for (int i = from; i != to; ++i) ++runs[static_cast<std::size_t>(i)];
  });
  for (const std::atomic<int>& n : runs) EXPECT_EQ(n, 1);
}

TYPED_TEST(Policy, WalksIteratorsAndRanges) {
  std::vector<int> x(100, 1);
  TypeParam::parallel_for(x, [](int& cell) { cell *= 3; });
  TypeParam::parallel_for(x.begin() + 50, x.end(), [](int& cell) { cell += 1; });
  TypeParam::parallel_for(x, [](auto from, auto to) {
    for (; from != to; ++from) *from *= 10;
  });
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], i < 50 ? 30 : 40) << i;
}

// Catches: options that one of the policies does not take.
TYPED_TEST(Policy, TakesOptions) {
  std::atomic<int> runs{0};
  TypeParam::parallel_for(0, 100, [&](int) { ++runs; }, sennit::grain(7));
  TypeParam::parallel_for(std::vector<int>(100), [&](int) { ++runs; }, sennit::static_partition);
  EXPECT_EQ(runs, 200);
  EXPECT_EQ(
      TypeParam::parallel_reduce(0, 100, 0, [](int i) { return i; }, std::plus<>(), sennit::grain(7)), 4950);
}

// Catches: values combined out of order, which only an operation that is not commutative shows.
TYPED_TEST(Policy, ReducesInOrder) {
  const std::string digits = TypeParam::parallel_reduce(
      0, 500, std::string(), [](int i) { return std::string(1, static_cast<char>('0' + i % 10)); });
  ASSERT_EQ(digits.size(), 500U);
  for (std::size_t i = 0; i < digits.size(); ++i) EXPECT_EQ(digits[i], static_cast<char>('0' + i % 10)) << i;
}

TYPED_TEST(Policy, ThrowsWhatTheFirstIterationThatThrowsDoes) {
  try {
    TypeParam::parallel_for(0, 100, [](int i) {
      if (i >= 30) throw std::runtime_error(std::to_string(i));
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "30");
  }
}

// Catches: an elision that is not the plain loop.
TEST(Serial, GoesFromFirstToLastOnThisThread) {
  std::vector<int> seen;
  sennit::serial::parallel_for(-2, 3, [&](int i) { seen.push_back(i); });
  EXPECT_THAT(seen, ElementsAre(-2, -1, 0, 1, 2));
  std::vector<std::pair<int, int>> chunks;
  sennit::serial::parallel_for(-2, 3, [&](int from, int to) { chunks.emplace_back(from, to); });
  EXPECT_THAT(chunks, ElementsAre(std::pair(-2, 3)));
}

TEST(CountedSerial, CountsALoopAsOneFork) {
  using sennit::counted_serial;
  counted_serial::reset();
  counted_serial::parallel_for(0, 1000, [](int) {});
  EXPECT_EQ(counted_serial::forks(), 1U);
  counted_serial::parallel_reduce(0, 1000, 0, [](int i) { return i; });
  EXPECT_EQ(counted_serial::forks(), 2U);
  counted_serial::parallel_for(0, 10, [](int) { counted_serial::parallel_for(0, 0, [](int) {}); });
  EXPECT_EQ(counted_serial::forks(), 13U);
}

}  // namespace
