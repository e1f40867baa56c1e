// SPDX-License-Identifier: Apache-2.0
// Stacks to run strands on: how one is left for another, and how they wait to be used again.
#include "fork/views.hpp"
#include "stack/fiber.hpp"
#include "stack/fiber_pool.hpp"

#include <gtest/gtest.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace sennit::detail;

// Catches a pool that forgets a fiber, gives the coldest one first, holds more than it may, or counts wrongly what has not
// been needed.
TEST(fiber_pool, gives_the_one_put_in_last) {
  fiber* const made[] = {new fiber, new fiber, new fiber};
  {
    fiber_pool pool(2);
    EXPECT_EQ(pool.take(), nullptr);
    EXPECT_TRUE(pool.put(*made[0]));
    EXPECT_TRUE(pool.put(*made[1]));
    EXPECT_FALSE(pool.put(*made[2]));
    EXPECT_EQ(pool.count(), 2U);
    pool.count_anew();
    EXPECT_EQ(pool.fewest(), 2U);
    EXPECT_EQ(pool.take(), made[1]);
    EXPECT_TRUE(pool.put(*made[2]));
    EXPECT_EQ(pool.fewest(), 1U);
    EXPECT_EQ(pool.take(), made[2]);
    EXPECT_EQ(pool.take(), made[0]);
    EXPECT_EQ(pool.take(), nullptr);
    EXPECT_EQ(pool.fewest(), 0U);
    EXPECT_TRUE(pool.put(*made[0]));
    pool.count_anew();
    EXPECT_EQ(pool.fewest(), 1U);
    // Those that are in it end with it.
  }
  delete made[1];
  delete made[2];
}

struct two_fibers {
  fiber home;
  fiber* other = nullptr;
  std::vector<std::string> seen;
};
two_fibers* running = nullptr;

void note_left(fiber& left, void* argument) noexcept {
  running->seen.push_back(std::string(static_cast<const char*>(argument)) +
                          (&left == &running->home ? " left home" : " left other"));
}

[[noreturn]] void other_loop() noexcept {
  for (;;) {
    running->seen.push_back(load_views() == nullptr ? "no views" : "views of home");
    running->seen.push_back("uncaught " + std::to_string(std::uncaught_exceptions()));
    running->other->switch_to(running->home, &note_left, const_cast<char*>("back"));
  }
}

struct some_view final : view {
  some_view() : view(std::make_shared<reducer_base>()) {}
  void append(view&) noexcept override {}
};

// Catches a strand that sees the views or the exceptions of the one that the thread ran before, and a fiber that is told of
// before it can be resumed.
TEST(fiber, has_views_and_exceptions_of_its_own) {
  two_fibers both;
  running = &both;
  fiber other(64 << 10, &other_loop);
  ASSERT_TRUE(other.usable());
  both.other = &other;
  some_view mine;
  store_views(&mine);
  const auto visit = [&] { both.home.switch_to(other, &note_left, const_cast<char*>("there")); };
  struct visitor {
    decltype(visit)& go;
    ~visitor() { go(); }
  };
  visit();
  EXPECT_EQ(load_views(), &mine);
  try {
    const visitor while_unwinding{visit};
    throw std::runtime_error("home's");
  } catch (const std::exception& e) {
    visit();
    // Another one's end does not end this one's.
    EXPECT_STREQ(e.what(), "home's");
    EXPECT_NE(std::current_exception(), nullptr);
  }
  EXPECT_EQ(std::current_exception(), nullptr);
  store_views(nullptr);
  const std::vector<std::string> once{"there left home", "no views", "uncaught 0", "back left other"};
  std::vector<std::string> expected;
  for (int i = 0; i < 3; ++i) expected.insert(expected.end(), once.begin(), once.end());
  EXPECT_EQ(both.seen, expected);
}

}  // namespace
