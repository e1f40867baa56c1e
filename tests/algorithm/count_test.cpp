// SPDX-License-Identifier: Apache-2.0
// Counts and extreme elements against their serial namesakes.
#include "../loops/support.hpp"

#include <sennit/algorithm/count.hpp>
#include <sennit/algorithm/extremes.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

namespace sennit_test {
namespace {

// Few values, so that there are many equal ones.
std::vector<int> few_values(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> result(n);
  for (int& e : result) e = static_cast<int>(random() % 5);
  return result;
}

// Catches elements that are left out or counted twice, and of equal elements the wrong one.
TEST(count, is_the_serial_one) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : sizes()) {
      const std::vector<int> x = few_values(n, 1);
      EXPECT_EQ(sennit::parallel_count(x, 3, how), std::ranges::count(x, 3));
      EXPECT_EQ(sennit::parallel_count_if(
                    x.begin(), n, [](int e) { return e % 2; }, how),
                std::ranges::count_if(x, [](int e) { return e % 2 != 0; }));
      EXPECT_EQ(sennit::parallel_min_element(x, how), std::ranges::min_element(x));
      EXPECT_EQ(sennit::parallel_max_element(x, how), std::ranges::max_element(x));
      EXPECT_EQ(sennit::parallel_min_element(x, std::greater<>(), how), std::ranges::max_element(x));
      const auto both = sennit::parallel_minmax_element(x.begin(), x.end(), how);
      const auto expected = std::ranges::minmax_element(x);
      EXPECT_EQ(both.min, expected.min);
      EXPECT_EQ(both.max, expected.max);
      if (n == 0) continue;
      EXPECT_EQ(sennit::parallel_min(x, how), std::ranges::min(x));
      EXPECT_EQ(sennit::parallel_max(x, std::less<>(), std::negate<>(), how), std::ranges::min(x));
    }
  });
}

// Catches the second of two least or greatest elements, where parts are put together.
TEST(count, chooses_among_equal_elements) {
  struct item {
    int key;
    std::size_t place;
  };
  with_options([](const sennit::loop_options& how) {
    std::deque<item> items(3000);
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = {static_cast<int>(i / 7 % 3), i};
    EXPECT_EQ(sennit::parallel_min(items, std::less<>(), &item::key, how).place, 0U);
    EXPECT_EQ(sennit::parallel_max(items, std::less<>(), &item::key, how).place, 14U);
    const auto [least, greatest] = sennit::parallel_minmax_element(items, std::less<>(), &item::key, how);
    EXPECT_EQ(least->place, 0U);
    EXPECT_EQ(greatest->place, static_cast<std::size_t>(
                                   std::ranges::minmax_element(items, {}, &item::key).max - items.begin()));
  });
}

// Catches elements that are copied or moved, and views that are not taken.
TEST(count, takes_ranges_of_all_kinds) {
  with_workers([] {
    std::vector<std::unique_ptr<int>> pointers(500);
    for (int i = 0; auto& pointer : pointers) pointer = std::make_unique<int>(i++ * 37 % 500);
    const auto value = [](const std::unique_ptr<int>& p) { return *p; };
    EXPECT_EQ(**sennit::parallel_max_element(pointers, {}, value), 499);
    EXPECT_EQ(sennit::parallel_count(pointers, nullptr), 0);
    const auto squares = std::views::iota(-50, 100'000) | std::views::transform([](long i) { return i * i; });
    EXPECT_EQ(sennit::parallel_min(squares), 0);
    EXPECT_EQ(sennit::parallel_min_element(squares) - squares.begin(), 50);
    const std::vector<std::string> words{"pear", "fig", "apple", "fig"};
    EXPECT_EQ(sennit::parallel_min(words), "apple");
    EXPECT_EQ(sennit::parallel_max(words, {}, &std::string::size), "apple");
    EXPECT_EQ(sennit::parallel_count(words, "fig"), 2);
  });
  EXPECT_THROW(static_cast<void>(sennit::parallel_min(std::vector<int>())), std::invalid_argument);
}

// Catches an exception that is lost, or hides that of an earlier element.
TEST(count, throws_what_the_lowest_call_threw) {
  with_options([](const sennit::loop_options& how) {
    for (const std::uint64_t lowest : {0, 63, 500}) {
      try {
        sennit::parallel_count_if(
            std::views::iota(std::uint64_t{0}, std::uint64_t{1000}),
            [&](std::uint64_t i) { return i >= lowest && i % 3 == lowest % 3 ? throw failure{i} : true; },
            how);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const failure& thrown) {
        EXPECT_EQ(thrown.position, lowest);
      }
    }
  });
}

// Catches algorithms that a policy has not, or that give another result there.
TEST(count, is_a_member_of_policies) {
  const std::vector<int> x = few_values(1000, 2);
  const auto with = [&]<class P>(P) {
    EXPECT_EQ(P::parallel_count(x, 3), std::ranges::count(x, 3));
    EXPECT_EQ(P::parallel_minmax_element(x).max, std::ranges::minmax_element(x).max);
    EXPECT_EQ(P::parallel_find(x, 3), std::ranges::find(x, 3));
    EXPECT_EQ(P::parallel_is_sorted_until(x), std::ranges::is_sorted_until(x));
    EXPECT_EQ(P::parallel_mismatch(x, x).in1, x.end());
  };
  with(sennit::parallel());
  with(sennit::serial());
  sennit::counted_serial::reset();
  with(sennit::counted_serial());
  EXPECT_EQ(sennit::counted_serial::forks(), 5U);
}

}  // namespace
}  // namespace sennit_test
