// SPDX-License-Identifier: Apache-2.0
// A fork that is cancelled as it is made: a thief already has its branch, and the left branch never begins.
#include "support.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace sennit_test {
namespace {

int thrown = 0;

// Runs regions of forks whose stolen branches cancel them and return `value`, until so many forks were given up after a thief
// had begun with their branch. Returns how many were.
template <class Value>
int give_up(int wanted, const Value& value) {
  sennit::runtime rt({.workers = 3});
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  int given_up = 0;
  while (given_up < wanted && std::chrono::steady_clock::now() < end) {
    rt.run([&] {
      int left = -1;
      std::atomic<int> stolen{-1};
      sennit::region region;
      const auto forks = [&] {
        const auto strand = std::this_thread::get_id();
        for (int i = 0; i < 2000; ++i) {
          sennit::join([&] { left = i; },
                       [&]() -> decltype(value()) {
                         if (std::this_thread::get_id() != strand) {
                           stolen = i;
                           region.cancel();
                         }
                         return value();
                       });
        }
      };
      try {
        (void)region.run(forks);
      } catch (const std::runtime_error&) {
        ++thrown;
      }
      if (stolen > left) ++given_up;
    });
  }
  return given_up;
}

// Catches a fork that takes the value of such a branch for an exception, or destroys no value, or two.
TEST(given_up, where_the_branch_returns_a_value) {
  EXPECT_EQ(give_up(20, [] { return 1; }), 20);
  EXPECT_EQ(give_up(20, [] { return tracked(1); }), 20);
  EXPECT_EQ(tracked::live(), 0);
}
TEST(given_up, where_the_branch_returns_a_reference_or_nothing) {
  static int referred = 0;
  EXPECT_EQ(give_up(20, []() -> int& { return referred; }), 20);
  EXPECT_EQ(give_up(20, [] {}), 20);
}
// Catches a fork that loses the exception of such a branch: it goes before the cancellation.
TEST(given_up, where_the_branch_throws) {
  const auto fail = []() -> int { throw std::runtime_error("by the branch"); };
  thrown = 0;
  const int given_up = give_up(20, fail);
  EXPECT_EQ(given_up, 20);
  EXPECT_GE(thrown, given_up);
}

}  // namespace
}  // namespace sennit_test
