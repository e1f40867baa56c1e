// SPDX-License-Identifier: Apache-2.0
// Recursions as deep as the stack that the user asked for, and deques that overflow.
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <vector>

namespace process {
namespace {

// Sanitizers keep memory of their own for each stack, whether it is touched or not.
constexpr long depth = sanitized ? 20'000 : 1'000'000;
constexpr std::size_t large = std::size_t{sanitized ? 64 : 2048} << 20;

long down_left(long n) {
  if (n == 0) return 0;
  auto [below, one] = sennit::join([=] { return down_left(n - 1); }, [] { return 1L; });
  return below + one;
}

long down_right(long n) {
  if (n == 0) return 0;
  auto [one, below] = sennit::join([] { return 1L; }, [=] { return down_right(n - 1); });
  return below + one;
}

void down_in_groups(long n, std::atomic<long>& count) {
  if (n == 0) return;
  sennit::task_group group;
  group.spawn([&] { down_in_groups(n - 1, count); });
  group.wait();
  ++count;
}

class Recursion : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, Recursion, testing::Values(1U, 2U), testing::PrintToStringParamName());

TEST_P(Recursion, OfAMillionJoinsInTheFirstBranch) {
  // Catches: a deque with room for fewer frames than the stack; a pop that goes wrong below a stolen frame.
  const ending run = apart([] {
    sennit::runtime deep({.workers = GetParam(), .stack_bytes = large});
    EXPECT_EQ(deep.run([] { return down_left(depth); }), depth);
    EXPECT_EQ(deep.run([] { return fib(15); }), 610);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_P(Recursion, OfAMillionJoinsInTheSecondBranch) {
  // Catches: a stack per level when thieves take the branch each time; a pop that is not the last use of its
  // frame.
  const ending run = apart([] {
    sennit::runtime deep({.workers = GetParam(), .stack_bytes = large});
    EXPECT_EQ(deep.run([] { return down_right(depth); }), depth);
    EXPECT_EQ(deep.run([] { return fib(15); }), 610);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_P(Recursion, OfGroupsInGroups) {
  // Catches: a group that loses its place in the deque to the groups above it.
  const ending run = apart([] {
    sennit::runtime deep({.workers = GetParam(), .stack_bytes = large});
    std::atomic<long> count{0};
    deep.run([&] { down_in_groups(depth / 10, count); });
    EXPECT_EQ(count, depth / 10);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST(RecursionByDefault, ReadsTheVariable) {
  // Catches: SENNIT_STACK read, but not used for the fiber that a region begins on.
  const ending run = apart([] {
    setenv("SENNIT_STACK", std::to_string(large).c_str(), 1);
    EXPECT_EQ(down_left(depth), depth);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

// What a program does that was serial, and as deep as a stack of 8 MiB lets it be.
TEST(RecursionByDefault, GoesAsDeepAsOnTheMainThread) {
  // Catches: a fiber's stack as large as the main thread's, though a fork takes ten times as much of it as a call.
  if (sanitized) GTEST_SKIP() << "there a stack is as large as the main thread's";
  const ending run = apart([] {
    EXPECT_EQ(down_left(100'000), 100'000);
    EXPECT_EQ(down_right(100'000), 100'000);
    std::atomic<long> count{0};
    down_in_groups(100'000, count);
    EXPECT_EQ(count, 100'000);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

// Many more children than such a stack's deque has room for.
constexpr long children = sanitized ? 20'000 : 200'000;
sennit::runtime_options tiny(unsigned workers) {
  return {.workers = workers, .stack_bytes = sanitized ? std::size_t{256} << 10 : std::size_t{64} << 10};
}

class FullDeque : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, FullDeque, testing::Values(1U, 2U), testing::PrintToStringParamName());

TEST_P(FullDeque, OfChildrenLosesNone) {
  // Catches: a frame written past the deque's end; a child taken from the list and from the deque; a lost
  // child.
  const ending run = apart([] {
    sennit::runtime narrow(tiny(GetParam()));
    std::vector<std::atomic<char>> runs(children);
    narrow.run([&] {
      sennit::task_group group;
      for (auto& r : runs) group.spawn([&r] { ++r; });
      group.wait();
    });
    for (auto& r : runs) ASSERT_EQ(r, 1);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_P(FullDeque, StillRunsJoins) {
  // Catches: a join that finds no room and drops a branch, runs one twice, or takes a child for its own.
  const ending run = apart([] {
    sennit::runtime narrow(tiny(GetParam()));
    std::atomic<long> ran{0};
    narrow.run([&] {
      sennit::task_group group;
      for (long i = 0; i < children / 10; ++i) {
        group.spawn([&] { ++ran; });
        if (i % 100 == 0) {
          EXPECT_EQ(fib(8), 21);
        }
      }
      group.wait();
      EXPECT_EQ(fib(12), 144);
    });
    EXPECT_EQ(ran, children / 10);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

TEST_P(FullDeque, InABranchAboveOthers) {
  // Catches: frames of joins below a full group that are popped from the wrong place afterwards.
  const ending run = apart([] {
    sennit::runtime narrow(tiny(GetParam()));
    std::atomic<long> ran{0};
    const long sum = narrow.run([&] {
      auto [a, b, c] = sennit::join(
          [&] {
            sennit::task_group outer;
            outer.spawn([&] { ++ran; });
            sennit::task_group group;
            for (long i = 0; i < children / 10; ++i) group.spawn([&] { ++ran; });
            group.wait();
            outer.wait();
            return 1;
          },
          [] { return 2; }, [] { return 3; });
      return a + b + c;
    });
    EXPECT_EQ(sum, 6);
    EXPECT_EQ(ran, children / 10 + 1);
  });
  EXPECT_THAT(run, ExitedWith(0));
}

}  // namespace
}  // namespace process
