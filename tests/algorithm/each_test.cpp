// SPDX-License-Identifier: Apache-2.0
// Lazy sequences against loops.
#include "../loops/support.hpp"

#include <sennit/algorithm/each.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

namespace lazy = sennit::lazy;

std::vector<int> some_numbers(std::size_t n) {
  std::vector<int> result(n);
  std::uint32_t x = 12345;
  for (int& number : result) number = static_cast<int>((x = x * 1664525 + 1013904223) >> 16);
  return result;
}
constexpr auto odd = [](int x) { return x % 2 != 0; };

// Catches elements that are left out, taken twice or out of order, in each stage that knows its number of elements.
TEST(each, indexed_stages_are_loops) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : sizes()) {
      const std::vector<int> x = some_numbers(n);
      const std::vector<int> y = some_numbers(n / 2);
      std::vector<long> expected;
      for (std::size_t i = 3; i < std::min(y.size(), std::size_t{503}); ++i)
        expected.push_back(static_cast<long>(i - 3) * 7 + 2 * x[i] - y[i]);
      EXPECT_EQ(sennit::each(x) | lazy::map([](int v) { return 2L * v; }) | lazy::zip(y) | lazy::drop(3) |
                    lazy::take(500) | lazy::enumerate | lazy::map([](const auto& e) {
                      return static_cast<long>(e.first) * 7 + e.second.first - e.second.second;
                    }) |
                    lazy::collect(how),
                expected)
          << n;

      std::vector<int> longest;
      for (std::size_t i = 0; i < n; i += 7)
        longest.push_back(*std::max_element(x.begin() + static_cast<std::ptrdiff_t>(i),
                                            x.begin() + static_cast<std::ptrdiff_t>(std::min(n, i + 7))));
      EXPECT_EQ(sennit::each(x) | lazy::chunk(7) | lazy::map([](auto few) { return std::ranges::max(few); }) |
                    lazy::collect(how),
                longest);
      std::vector<int> steps;
      for (std::size_t i = 2; i < n; ++i) steps.push_back(x[i] - x[i - 2]);
      EXPECT_EQ(sennit::each(x) | lazy::slide(3) | lazy::map([](auto three) { return three[2] - three[0]; }) |
                    lazy::collect(how),
                steps);
    }
  });
}

// Catches the same where elements have to be counted: numbers that are wrong at the bounds of blocks or of parts.
TEST(each, filtered_stages_are_loops) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : sizes()) {
      const std::vector<int> x = some_numbers(n);
      std::vector<int> kept;
      std::ranges::copy_if(x, std::back_inserter(kept), odd);
      const auto those = sennit::each(x) | lazy::filter(odd);
      EXPECT_EQ(those | lazy::collect(how), kept) << n;
      EXPECT_EQ(those | lazy::count(how), kept.size());

      std::vector<int> out(n, -1);
      const auto end = those | lazy::collect_into(out, how);
      EXPECT_TRUE(std::equal(out.begin(), end, kept.begin(), kept.end()));
      EXPECT_TRUE(std::all_of(end, out.end(), [](int v) { return v == -1; }));

      for (const std::size_t few :
           {std::size_t{0}, std::size_t{1}, kept.size() / 2, kept.size(), kept.size() + 3}) {
        const auto first = static_cast<std::ptrdiff_t>(std::min(few, kept.size()));
        EXPECT_EQ(those | lazy::take(few) | lazy::collect(how),
                  std::vector(kept.begin(), kept.begin() + first));
        EXPECT_EQ(those | lazy::drop(few) | lazy::collect(how),
                  std::vector(kept.begin() + first, kept.end()));
        EXPECT_EQ(those | lazy::drop(few) | lazy::take(9) | lazy::count(how),
                  std::min<std::size_t>(9, kept.size() - std::min(few, kept.size())));
      }
      long expected = 0;
      for (std::size_t i = 0; i < kept.size(); ++i) expected += static_cast<long>(i) * kept[i] + x[i];
      EXPECT_EQ(those | lazy::enumerate | lazy::zip(x) | lazy::map([](const auto& e) {
                  return static_cast<long>(e.first.first) * e.first.second + e.second;
                }) | lazy::sum(how),
                expected);

      const auto flat = sennit::each(0, static_cast<int>(std::min<std::size_t>(n, 300))) |
                        lazy::flat_map([](int i) { return std::views::iota(0, i % 5); });
      std::vector<int> nested;
      for (int i = 0; i < static_cast<int>(std::min<std::size_t>(n, 300)); ++i)
        for (int j = 0; j < i % 5; ++j) nested.push_back(j);
      EXPECT_EQ(flat | lazy::collect(how), nested);
    }
  });
}

// Catches results that are combined in another order, and an empty sequence that has a value.
TEST(each, results_are_those_of_loops) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : sizes()) {
      const std::vector<int> x = some_numbers(n);
      const auto least = sennit::each(x) | lazy::min(how);
      const auto most = sennit::each(x) | lazy::max(how);
      ASSERT_EQ(least.has_value(), n != 0);
      if (n != 0) {
        EXPECT_EQ(*least, std::ranges::min(x));
        EXPECT_EQ(*most, std::ranges::max(x));
      }
      EXPECT_EQ(sennit::each(x) | lazy::sum(how), std::accumulate(x.begin(), x.end(), 0));
      // Text is put together in its order only.
      std::string text;
      for (const int v : x | std::views::filter(odd) | std::views::take(50)) text += std::to_string(v);
      EXPECT_EQ((sennit::each(x) | lazy::filter(odd) | lazy::take(50) |
                 lazy::map([](int v) { return std::to_string(v); }) | lazy::reduce(std::plus<>(), how))
                    .value_or(""),
                text);
      EXPECT_EQ(sennit::each(x) | lazy::fold(
                                      0L, [](long left, int v) { return left + v; }, std::plus<>(), how),
                std::accumulate(x.begin(), x.end(), 0L));
    }
  });
}

// Catches an element that is not the first, and a search that goes on for long behind it.
TEST(each, finds_the_first) {
  with_workers([] {
    const std::vector<int> x = some_numbers(100'000);
    for (const std::size_t at : {0, 1, 63, 64, 1000, 50'000, 99'999}) {
      std::atomic<std::size_t> looked_at{0};
      const auto found = sennit::each(std::size_t{0}, x.size()) | lazy::filter([&](std::size_t i) {
                           looked_at.fetch_add(1, std::memory_order_relaxed);
                           return i >= at;
                         }) |
                         lazy::first();
      EXPECT_EQ(found, at);
      EXPECT_LE(looked_at.load(), 2 * at + 64);
    }
    EXPECT_FALSE((sennit::each(x) | lazy::filter([](int v) { return v < 0; }) | lazy::first()).has_value());
    EXPECT_TRUE(sennit::each(x) | lazy::all([](int v) { return v >= 0; }));
    EXPECT_FALSE(sennit::each(x) | lazy::all([&](int v) { return v != x[777]; }));
    EXPECT_TRUE(sennit::each(x) | lazy::any([&](int v) { return v == x[777]; }));
    EXPECT_TRUE(sennit::each(x) | lazy::none([](int v) { return v < 0; }));
  });
}

// Catches elements that are copied, or that outlive the range that they lie in.
TEST(each, takes_owners_and_temporaries) {
  with_workers([] {
    const auto sequence =
        sennit::each(std::vector<std::string>(1000, "text")) | lazy::map(&std::string::size);
    EXPECT_EQ(sequence | lazy::sum(), 4000U);
    EXPECT_EQ(sequence | lazy::sum(), 4000U);

    std::vector<std::unique_ptr<int>> owners =
        sennit::each(0, 5000) | lazy::map([](int i) { return std::make_unique<int>(i); }) |
        lazy::filter([](const auto& p) { return *p % 3 == 0; }) | lazy::collect();
    ASSERT_EQ(owners.size(), 1667U);
    for (std::size_t i = 0; i < owners.size(); ++i) ASSERT_EQ(*owners[i], static_cast<int>(3 * i));

    std::deque<int> pieces{1, 2, 3};
    sennit::each(pieces) | lazy::for_each([](int& v) { v *= 2; });
    EXPECT_EQ(pieces, (std::deque<int>{2, 4, 6}));
    EXPECT_EQ(sennit::each(std::views::iota(0, 10) | std::views::reverse) | lazy::collect(),
              (std::vector<int>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
    // Elements of a std::vector<bool> share words.
    const auto flags = sennit::each(0, 1000) | lazy::map([](int i) { return i % 2 == 0; }) | lazy::collect();
    EXPECT_EQ(std::ranges::count(flags, true), 500);
  });
}

// Catches results that refer to elements, so that a result changes them, or outlives them.
TEST(each, results_are_copies) {
  with_workers([] {
    std::vector<int> x{5, 1, 9, 3};
    const auto least = sennit::each(x) | lazy::enumerate |
                       lazy::reduce([](auto a, auto b) { return b.second < a.second ? b : a; });
    EXPECT_EQ(*least, (std::pair<std::size_t, int>(1, 1)));
    const std::vector<int> y{1, 2, 3, 4};
    EXPECT_EQ((*(sennit::each(x) | lazy::zip(y) | lazy::max())), (std::pair(9, 3)));
    EXPECT_EQ(x, (std::vector<int>{5, 1, 9, 3}));
    const auto chunks = sennit::each(x) | lazy::chunk(3) | lazy::collect();
    EXPECT_EQ(chunks, (std::vector<std::vector<int>>{{5, 1, 9}, {3}}));
    EXPECT_EQ((sennit::each(std::vector<int>{7, 8}) | lazy::enumerate | lazy::first())->second, 7);
    std::vector<bool> bits{true, false, true};
    EXPECT_EQ(sennit::each(bits) | lazy::collect(), bits);
    std::vector<int> out(4);
    const auto end = lazy::collect_into(std::span(out));
    EXPECT_EQ(sennit::each(x) | end, std::span(out).end());
    EXPECT_EQ(out, x);
  });
}

// Catches an exception that is not that of the lowest element, and one that is lost.
TEST(each, throws_what_the_lowest_element_threw) {
  with_workers([] {
    const auto thrown = [](auto&& run) -> int {
      try {
        run();
      } catch (const int& i) {
        return i;
      }
      return -1;
    };
    const auto throwing = sennit::each(0, 100'000) | lazy::map([](int i) {
                            if (i % 1000 == 999) throw i;
                            return i;
                          });
    EXPECT_EQ(thrown([&] { static_cast<void>(throwing | lazy::sum()); }), 999);
    EXPECT_EQ(thrown([&] { static_cast<void>(throwing | lazy::collect()); }), 999);
    EXPECT_EQ(
        thrown([&] { static_cast<void>(throwing | lazy::filter(odd) | lazy::take(3000) | lazy::count()); }),
        999);
    EXPECT_EQ(throwing | lazy::filter([](int i) { return i == 998; }) | lazy::first(), 998);
    std::vector<int> small(10);
    EXPECT_THROW(sennit::each(0, 11) | lazy::collect_into(small), std::invalid_argument);
    EXPECT_THROW(sennit::each(0, 50) | lazy::filter(odd) | lazy::collect_into(small), std::invalid_argument);
  });
}

// Catches a sum whose bits depend on who computed which part.
TEST(each, deterministic_sums_are) {
  std::vector<double> fractions(100'000);
  for (std::size_t i = 0; i < fractions.size(); ++i) fractions[i] = 1.0 / static_cast<double>(i + 1);
  const auto positive = [](double v) { return v < 0.1; };
  const double expected =
      sennit::serial::each(fractions) | lazy::filter(positive) | lazy::sum(sennit::deterministic);
  with_workers([&] {
    EXPECT_EQ(sennit::each(fractions) | lazy::filter(positive) | lazy::sum(sennit::deterministic), expected);
  });
}

}  // namespace
}  // namespace sennit_test
