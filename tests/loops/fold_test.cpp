// SPDX-License-Identifier: Apache-2.0
// parallel_fold against std::accumulate.
#include "support.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace sennit_test {
namespace {

// Each program under all options, deterministically, and as its elision.
template <class Program>
void expect_everywhere(const auto& expected, const Program& program) {
  with_options(
      [&](const sennit::loop_options& how) { EXPECT_EQ(program(sennit::parallel_fold, how), expected); });
  with_workers([&] { EXPECT_EQ(program(sennit::parallel_fold, sennit::deterministic), expected); });
  EXPECT_EQ(program(sennit::serial::parallel_fold, sennit::loop_options()), expected);
  EXPECT_EQ(program(sennit::serial::parallel_fold, sennit::deterministic), expected);
}

// Catches results of parts that are taken for elements: the squares of sums of squares.
TEST(fold, takes_the_operations_of_accumulate) {
  const std::vector<int> threes(1000, 3);
  const auto squares = [](long s, long e) { return s + e * e; };
  const auto above_two = [](int n, double x) { return n + (x > 2); };
  const auto any = [](bool found, int x) { return found || x == 3; };
  expect_everywhere(9000L, [&](const auto& fold, const auto& how) {
    return fold(threes, 0L, squares, std::plus<>(), how);
  });
  expect_everywhere(1000, [&](const auto& fold, const auto& how) {
    return fold(threes.begin(), threes.end(), 0, above_two, [](int a, int b) { return a + b; }, how);
  });
  expect_everywhere(true, [&](const auto& fold, const auto& how) {
    return fold(threes.begin(), 1000, false, any, std::logical_or<>(), how);
  });
  expect_everywhere(328350L, [&](const auto& fold, const auto& how) {
    return fold(0, 100L, 0L, squares, std::plus<>(), how);
  });
}

// Catches a first value that each part begins with.
TEST(fold, counts_the_first_value_once) {
  const std::vector<int> ones(1000, 1);
  const auto count = [](long n, int x) { return n + x; };
  expect_everywhere(
      1010L, [&](const auto& fold, const auto& how) { return fold(ones, 10L, count, std::plus<>(), how); });
  expect_everywhere(10L, [&](const auto& fold, const auto& how) {
    return fold(std::span(ones).first(0), 10L, count, std::plus<>(), how);
  });
  const std::vector<int> negative(1000, -5);
  expect_everywhere(-3, [&](const auto& fold, const auto& how) {
    return fold(negative, -9, [](int most, int x) { return std::max(most, x + 2); }, std::ranges::max, how);
  });
}

// An operation of the program's own that says what its identity is, of values that are not copied.
struct join_lists {
  std::unique_ptr<std::vector<int>> identity() const { return std::make_unique<std::vector<int>>(); }
  void operator()(std::unique_ptr<std::vector<int>>& left, std::unique_ptr<std::vector<int>> right) const {
    left->insert(left->end(), right->begin(), right->end());
  }
};

// Catches identities that are asked for and not used, and results that are copied or out of order.
TEST(fold, takes_results_that_only_move) {
  std::vector<int> expected(1001);
  std::iota(expected.begin(), expected.end(), -1);
  expect_everywhere(expected, [&](const auto& fold, const auto& how) {
    return *fold(
        0, 1000, std::make_unique<std::vector<int>>(1, -1),
        [](std::unique_ptr<std::vector<int>>& left, int x) { left->push_back(x); }, join_lists(), how);
  });
}

// A list that counts its copies, which takes its values in place.
class counted_list {
 public:
  counted_list() = default;
  counted_list(const counted_list& other) : values(other.values) { copies.fetch_add(1); }
  counted_list(counted_list&&) = default;
  counted_list& operator=(counted_list&&) = default;
  ~counted_list() = default;

  std::vector<int> values;
  inline static std::atomic<int> copies{0};
};

// Catches parts that are appended out of order, and a value that is copied for each element rather than once
// for each strand: on one worker, once.
TEST(fold, appends_in_place) {
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  const auto list = [](const auto& fold, const auto& how) {
    return fold(
               0, 1000, counted_list(), [](counted_list& left, int x) { left.values.push_back(x); },
               [](counted_list& left, counted_list&& right) -> counted_list& {
                 left.values.insert(left.values.end(), right.values.begin(), right.values.end());
                 return left;
               },
               how)
        .values;
  };
  expect_everywhere(expected, list);
  counted_list::copies = 0;
  EXPECT_EQ(list(sennit::serial::parallel_fold, sennit::loop_options()), expected);
  EXPECT_EQ(counted_list::copies, 1);
  sennit::runtime({.workers = 1}).run([&] {
    for (const named_options& options : all_options()) {
      counted_list::copies = 0;
      EXPECT_EQ(list(sennit::parallel_fold, options.how), expected);
      EXPECT_EQ(counted_list::copies, 1) << options.name;
    }
  });
}

// Catches a first value that is counted an unknown number of times, and nobody says so.
TEST(fold, refuses_a_first_value_that_is_no_identity) {
  const std::vector<std::string> words(10, "x");
  const auto length = [](long n, const std::string& word) { return n + static_cast<long>(word.size()); };
  const auto add = [](long a, long b) { return a + b; };
  EXPECT_EQ(sennit::parallel_fold(words, 0L, length, add), 10);
  EXPECT_DEATH(sennit::parallel_fold(words, 100L, length, add),
               "fold_test.cpp:[0-9]+: parallel_fold: the first value is no identity");
}

}  // namespace
}  // namespace sennit_test
