// SPDX-License-Identifier: Apache-2.0
// Comparisons of two sequences, and questions for order, against their serial namesakes.
#include "../loops/support.hpp"

#include <sennit/algorithm/compare.hpp>
#include <sennit/algorithm/ordered.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <random>
#include <ranges>
#include <string>
#include <vector>

namespace sennit_test {
namespace {

// Catches a difference that is missed, or hides an earlier one, and sequences of which one is a part of the other.
TEST(compare, finds_the_first_difference) {
  with_options([](const sennit::loop_options& how) {
    std::mt19937 random(3);
    for (const std::size_t n : sizes()) {
      std::vector<int> left(n);
      for (int& e : left) e = static_cast<int>(random() % 100);
      for (int repeat = 0; repeat < 12; ++repeat) {
        std::deque<int> right(left.begin(), left.end());
        if (n != 0 && repeat % 3 != 0) right[random() % n] += 1 - static_cast<int>(random() % 3);
        if (repeat % 4 == 0) right.resize(random() % (n + 2), 5);
        const auto [a, b] = sennit::parallel_mismatch(left, right, how);
        const auto expected = std::ranges::mismatch(left, right);
        ASSERT_EQ(a, expected.in1);
        ASSERT_EQ(b, expected.in2);
        ASSERT_EQ(sennit::parallel_equal(left, right, how), std::ranges::equal(left, right));
        ASSERT_EQ(sennit::parallel_lexicographical_compare(left, right, how),
                  std::ranges::lexicographical_compare(left, right));
        ASSERT_EQ(sennit::parallel_lexicographical_compare(right, left, std::greater<>(), how),
                  std::ranges::lexicographical_compare(right, left, std::greater<>()));
        ASSERT_EQ(sennit::parallel_starts_with(left, right, how), n >= right.size() && b == right.end());
      }
    }
  });
}

// Catches a part that is compared from the wrong end, and a form whose second sequence has another length.
TEST(compare, takes_all_forms) {
  const std::vector<std::string> words{"an", "early", "end", "now"};
  const std::vector<std::size_t> lengths{2, 5, 3, 4};
  EXPECT_EQ(sennit::parallel_mismatch(words, lengths, {}, &std::string::size).in2 - lengths.begin(), 3);
  EXPECT_EQ(
      sennit::parallel_mismatch(words.begin(), words.end(), lengths.begin(), {}, &std::string::size).in1 -
          words.begin(),
      3);
  EXPECT_TRUE(sennit::parallel_equal(words.begin(), 3, lengths.begin(), 3, {}, &std::string::size));
  EXPECT_TRUE(sennit::parallel_equal(words.begin(), words.end(), words.begin()));
  EXPECT_TRUE(sennit::parallel_equal(words.begin(), words.end(), words.begin(), sennit::grain(1)));
  EXPECT_FALSE(sennit::parallel_equal(words.begin(), words.end(), words.begin(), 3));
  EXPECT_TRUE(sennit::parallel_ends_with(words, std::vector<std::string>{"end", "now"}));
  EXPECT_FALSE(sennit::parallel_ends_with(words, std::vector<std::string>{"an", "early"}));
  EXPECT_TRUE(sennit::parallel_ends_with(words, std::vector<std::string>()));
  EXPECT_FALSE(sennit::parallel_starts_with(std::vector<std::string>(), words));
}

// Catches pairs of neighbors that no chunk looks at, parents that are taken for others, and a middle that is counted twice.
TEST(compare, tells_order) {
  with_options([](const sennit::loop_options& how) {
    std::mt19937 random(11);
    for (const std::size_t n : sizes()) {
      std::vector<int> sorted(n);
      for (int& e : sorted) e = static_cast<int>(random() % 50);
      std::vector<int> heap = sorted;
      std::ranges::sort(sorted);
      std::ranges::make_heap(heap);
      for (int repeat = 0; repeat < 6; ++repeat) {
        ASSERT_EQ(sennit::parallel_is_sorted_until(sorted, how), std::ranges::is_sorted_until(sorted));
        ASSERT_EQ(sennit::parallel_is_sorted(sorted, how), std::ranges::is_sorted(sorted));
        ASSERT_EQ(sennit::parallel_is_heap_until(heap, how), std::ranges::is_heap_until(heap));
        ASSERT_EQ(sennit::parallel_is_heap(heap, std::less<>(), how), std::ranges::is_heap(heap));
        const auto low = [](int e) { return e < 25; };
        ASSERT_EQ(sennit::parallel_is_partitioned(sorted, low, how),
                  std::ranges::is_partitioned(sorted, low));
        if (n == 0) break;
        sorted[random() % n] = static_cast<int>(random() % 50);
        heap[random() % n] = static_cast<int>(random() % 50);
      }
    }
  });
  EXPECT_TRUE(sennit::parallel_is_sorted(std::views::iota(0, 100), {}, std::negate<>()) == false);
}

// Catches a comparison behind the first difference whose exception is thrown, and one before it that is lost.
TEST(compare, throws_what_a_serial_comparison_comes_to) {
  constexpr std::size_t n = 5000;
  with_options([&](const sennit::loop_options& how) {
    for (const std::size_t thrown_at : {0, 400, 3000}) {
      for (const std::size_t differs_at : {1, 399, 401, 4000}) {
        const auto equal = [&](std::size_t a, std::size_t) {
          return a == thrown_at ? throw failure{a} : a != differs_at;
        };
        const auto all = std::views::iota(std::size_t{0}, n);
        if (thrown_at < differs_at) {
          EXPECT_THROW(sennit::parallel_equal(all, all, equal, how), failure);
        } else {
          EXPECT_EQ(*sennit::parallel_mismatch(all, all, equal, how).in1, differs_at);
        }
      }
    }
  });
}

}  // namespace
}  // namespace sennit_test
