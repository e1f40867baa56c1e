// SPDX-License-Identifier: Apache-2.0
// parallel_find and its kin against their serial namesakes.
#include "../loops/support.hpp"

#include <sennit/algorithm/find.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <ranges>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

namespace sennit_test {
namespace {

// Where matches are in n elements: at the ends, at the bounds of windows, anywhere, and nowhere.
std::vector<std::size_t> places(std::size_t n) {
  std::vector<std::size_t> result{0, 1, 62, 63, 64, 65, 191, 192, 193, n / 3, n / 2, n - 1, n};
  std::erase_if(result, [n](std::size_t at) { return at > n; });
  return result;
}

// Catches a match that is missed, and one that hides a lower one.
TEST(find, finds_the_first_of_many) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : sizes()) {
      std::vector<int> x(n, 0);
      for (const std::size_t at : places(n)) {
        std::fill(x.begin() + static_cast<std::ptrdiff_t>(at), x.end(), 7);
        const auto expected = x.begin() + static_cast<std::ptrdiff_t>(at);
        ASSERT_EQ(sennit::parallel_find(x, 7, how), expected) << n;
        ASSERT_EQ(sennit::parallel_find_if_not(
                      x.begin(), n, [](int e) { return e == 0; }, how),
                  expected)
            << n;
        ASSERT_EQ(sennit::parallel_all_of(x, [](int e) { return e == 0; }, how), at == n);
        ASSERT_EQ(sennit::parallel_any_of(x, [](int e) { return e == 7; }, how), at != n);
        ASSERT_EQ(sennit::parallel_none_of(x, [](int e) { return e == 7; }, std::identity(), how), at == n);
        std::fill(x.begin(), x.end(), 0);
      }
    }
  });
}

// Catches numbers that are compared as other numbers than == compares, and matches that the search in blocks misses.
template <class T>
void find_all_numbers() {
  for (std::size_t n : {1, 31, 32, 33, 300}) {
    for (std::size_t at = 0; at < n; at += 1 + at / 5) {
      std::vector<T> x(n, T(5));
      x[at] = static_cast<T>(-1);
      const auto expected = static_cast<std::ptrdiff_t>(at);
      ASSERT_EQ(sennit::parallel_find(x, static_cast<T>(-1)) - x.begin(), expected);
      ASSERT_EQ(sennit::parallel_find(x, -1) == x.end(), std::find(x.begin(), x.end(), -1) == x.end());
      ASSERT_EQ(sennit::parallel_find(x, 4.5), x.end());
    }
  }
}
TEST(find, finds_numbers_of_all_kinds) {
  find_all_numbers<signed char>();
  find_all_numbers<std::uint16_t>();
  find_all_numbers<int>();
  find_all_numbers<float>();
  find_all_numbers<double>();
}

// Catches overloads that take one kind of argument for another, and projections that are left out.
TEST(find, takes_iterators_ranges_and_views) {
  struct user {
    std::string name;
    int age = 0;
  };
  with_workers([] {
    const std::vector<user> users{{"ann", 31}, {"bob", 7}, {"cid", 7}};
    EXPECT_EQ(sennit::parallel_find(users, 7, &user::age) - users.begin(), 1);
    EXPECT_EQ(sennit::parallel_find(users.begin(), users.end(), "cid", &user::name) - users.begin(), 2);
    EXPECT_EQ(sennit::parallel_find(users.begin(), 2, "cid", &user::name) - users.begin(), 2);
    EXPECT_EQ(*sennit::parallel_find_if(std::views::iota(0, 100'000), [](int i) { return i > 70'000; }),
              70'001);
    const std::deque<int> pieces(5000, 1);
    EXPECT_EQ(sennit::parallel_find(pieces, 2), pieces.end());
    EXPECT_TRUE(
        (std::is_same_v<decltype(sennit::parallel_find(std::vector<int>(), 1)), std::ranges::dangling>));
  });
}

// Catches an exception that is lost, one from behind the match that is thrown, and one that hides another.
TEST(find, throws_what_a_serial_search_comes_to) {
  constexpr std::size_t n = 3000;
  with_options([&](const sennit::loop_options& how) {
    std::mt19937 random(17);
    for (int repeat = 0; repeat < 60; ++repeat) {
      std::vector<int> x(n, 0);  // 1: a match; 2: an exception
      for (int k = 0; k < 3; ++k) x[random() % n] = 1 + static_cast<int>(random() % 2);
      const auto first = static_cast<std::size_t>(
          std::find_if(x.begin(), x.end(), [](int e) { return e != 0; }) - x.begin());
      try {
        const auto found = sennit::parallel_find_if(
            std::views::iota(std::size_t{0}, n),
            [&](std::size_t i) { return x[i] == 2 ? throw failure{i} : x[i] == 1; }, how);
        ASSERT_EQ(*found, first);
        ASSERT_EQ(x[first], 1);
      } catch (const failure& thrown) {
        ASSERT_EQ(thrown.position, first);
        ASSERT_EQ(x[first], 2);
      }
    }
  });
}

// Catches a search that looks at far more than lies before the match.
TEST(find, looks_at_few_elements_behind_the_match) {
  with_workers([] {
    for (const std::size_t at : {0, 100, 20'000}) {
      std::atomic<std::size_t> highest{0};
      const auto found = sennit::parallel_find_if(
          std::views::iota(std::size_t{0}, std::size_t{1} << 40), [&](std::size_t i) {
            std::size_t before = highest;
            while (before < i && !highest.compare_exchange_weak(before, i)) {
            }
            return i >= at;
          });
      EXPECT_EQ(*found, at);
      EXPECT_LE(highest, 2 * at + 64);
    }
  });
}

std::vector<char> letters(std::mt19937& random, std::size_t n, unsigned kinds) {
  std::vector<char> result(n);
  for (char& letter : result) letter = static_cast<char>('a' + random() % kinds);
  return result;
}

// Catches places that are left out at the bounds of chunks, where a match is in two of them, and the wrong match of several.
TEST(find, finds_neighbors_and_parts) {
  with_options([](const sennit::loop_options& how) {
    std::mt19937 random(5);
    for (int repeat = 0; repeat < 40; ++repeat) {
      const std::vector<char> text = letters(random, random() % 2000, 2 + static_cast<unsigned>(repeat) % 4);
      const std::vector<char> word = letters(random, random() % 9, 3);
      ASSERT_EQ(sennit::parallel_search(text, word, how),
                std::search(text.begin(), text.end(), word.begin(), word.end()));
      ASSERT_EQ(sennit::parallel_find_end(text, word, how),
                std::find_end(text.begin(), text.end(), word.begin(), word.end()));
      const std::string_view rare = "xyzc";
      ASSERT_EQ(sennit::parallel_find_first_of(text, rare, how),
                std::find_first_of(text.begin(), text.end(), rare.begin(), rare.end()));
      const auto follows = [](char a, char b) { return a == 'b' && b == 'a'; };
      ASSERT_EQ(sennit::parallel_adjacent_find(text, follows, how),
                std::adjacent_find(text.begin(), text.end(), follows));
      ASSERT_EQ(sennit::parallel_contains(text, 'd', how), std::ranges::count(text, 'd') != 0);
    }
  });
}

// Catches a run that lies across the places that are looked at first, or across blocks, one that hides an earlier one, reads
// behind the end, and a search that takes time in proportion to the length of a run for each element.
TEST(find, finds_runs) {
  with_options([](const sennit::loop_options& how) {
    for (const int n : {0, 1, 65, 20'011}) {
      for (const int gap : {1, 2, 5, 5003}) {
        std::vector<int> x(static_cast<std::size_t>(n), 7);
        for (int i = 0; i < n; i += gap) x[static_cast<std::size_t>(i)] = 0;
        // Longer than the others.
        for (int i = n / 2; i < n / 2 + gap + 1 && i < n; ++i) x[static_cast<std::size_t>(i)] = 7;
        for (const int count : {-1, 0, 1, 2, 3, gap, gap + 1, gap + 2, 5003, n}) {
          std::atomic<int> calls{0};
          const auto same = [&](int e, int value) { return calls.fetch_add(1), e == value; };
          ASSERT_EQ(sennit::parallel_search_n(x, count, 7, same, std::identity(), how),
                    std::search_n(x.begin(), x.end(), count, 7))
              << n << ' ' << gap << ' ' << count;
          ASSERT_LE(calls, 2 * n);
        }
      }
    }
  });
  // Iterators of views may be no bidirectional ones to older algorithms.
  EXPECT_EQ(*sennit::parallel_find_end(std::views::iota(0, 1000), std::vector<int>{998, 999}), 998);
  const std::string text = "to be continued...";
  EXPECT_EQ(sennit::parallel_search_n(text.begin(), text.size(), 3, '.', sennit::grain(2)) - text.begin(),
            15);
  EXPECT_EQ(sennit::serial::parallel_search_n(text, 2, true, {}, [](char c) { return c > 'o'; }) -
                text.begin(),
            18);
}

// Catches an exception that is lost, or comes from behind the run.
TEST(find, runs_throw_what_a_serial_search_comes_to) {
  const auto outcome = [](auto&& search, int at, int count) {
    const auto same = [at](int e, int value) {
      if (e == at) throw failure{static_cast<std::uint64_t>(at)};
      return (e % 20'000 > 9000) == (value != 0);
    };
    const auto all = std::views::iota(0, 60'000);
    try {
      return static_cast<long>(search(all, count, 1, same) - all.begin());
    } catch (const failure&) {
      return -1L;
    }
  };
  with_workers([&] {
    for (const int at : {0, 9, 4999, 9000, 9001, 12'000, 20'000, 59'999})
      for (const int count : {10, 5000, 15'000})
        EXPECT_EQ(outcome(sennit::parallel_search_n, at, count),
                  outcome(sennit::serial::parallel_search_n, at, count));
  });
}

// Catches a second sequence that is read behind its end, or projected by the function of the first one.
TEST(find, takes_two_sequences_in_all_forms) {
  struct point {
    int x;
    int y;
  };
  const std::vector<point> points{{1, 9}, {2, 8}, {3, 7}, {2, 8}, {3, 1}};
  const std::vector<int> two_three{2, 3};
  const auto at = [&](auto found) { return found - points.begin(); };
  EXPECT_EQ(at(sennit::parallel_search(points, two_three, {}, &point::x)), 1);
  EXPECT_EQ(at(sennit::parallel_find_end(points, two_three, {}, &point::x)), 3);
  EXPECT_EQ(at(sennit::parallel_search(points.begin(), 2, two_three.begin(), 2, {}, &point::x)), 2);
  EXPECT_EQ(at(sennit::parallel_find_first_of(points, points, {}, &point::x, &point::y, sennit::grain(2))),
            0);
  EXPECT_EQ(at(sennit::parallel_find_first_of(
                points.begin(), points.end(), two_three.begin(), two_three.end(),
                [](int a, int b) { return a + b == 5; }, &point::x)),
            1);
  EXPECT_EQ(at(sennit::parallel_adjacent_find(points, std::greater<>(), &point::y)), 0);
  EXPECT_EQ(at(sennit::parallel_search(points, std::vector<int>(), {}, &point::x)), 0);
  EXPECT_EQ(at(sennit::parallel_find_end(points, std::vector<int>(), {}, &point::x)), 5);
}

// Catches an exception from behind the match that is thrown, and elements that are looked at though a match before them is
// known.
TEST(find, forgets_what_another_worker_does_behind_the_match) {
  under(settings({2, 4}), [](sennit::runtime& rt) {
    const auto search = [&](auto&& behind) {
      beacon taken;
      return rt.run([&] {
        return *sennit::parallel_find_if(
            std::views::iota(0, 1000),
            [&](int i) {
              if (i != 0) {
                taken.light();
                return behind(i);
              }
              taken.await();
              return true;
            },
            sennit::grain(1));
      });
    };
    EXPECT_EQ(search([](int i) -> bool { throw failure{static_cast<std::uint64_t>(i)}; }), 0);
    std::atomic<int> calls{0};
    EXPECT_EQ(search([&](int) {
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                ++calls;
                return false;
              }),
              0);
    EXPECT_LT(calls, 55);
  });
}

// Catches windows that grow faster than what has been searched, never stop to grow, or stay small after an interruption.
TEST(find, windows_grow_up_to_a_millisecond) {
  using sennit::detail::search_windows;
  search_windows windows(64, 2);
  std::uint64_t searched = 0;
  for (int i = 0; i < 100; ++i) {
    EXPECT_LE(windows.size(), searched + 64);
    searched += windows.size();
    windows.took(i == 20 ? 100 * search_windows::enough : windows.size() * 30);  // 10 ns each
    EXPECT_LE(windows.size(), search_windows::enough / 30);
  }
  EXPECT_GE(windows.size(), search_windows::enough / 30 / 4);
  for (int i = 0; i < 100; ++i) windows.took(10 * search_windows::enough);
  EXPECT_EQ(windows.size(), 64U);
  for (int i = 0; i < 100; ++i) windows.took(0);
  EXPECT_LE(windows.size(), std::uint64_t{1} << 62);
}

// Catches a number of loops that depends on time, so that a replay does not find what was recorded.
TEST(find, is_the_same_program_when_replayed) {
  sennit::runtime rt({.workers = 2});
  rt.run([] {
    const auto search = [] {
      EXPECT_EQ(*sennit::parallel_find_if(std::views::iota(0, 1'000'000), [](int i) { return i == 300'000; }),
                300'000);
      sennit::parallel_for(1000, [](int) {});
    };
    const sennit::schedule seen = sennit::record(search);
    for (int repeat = 0; repeat < 5; ++repeat) sennit::replay(seen, sennit::strict_unordered, search);
  });
}

}  // namespace
}  // namespace sennit_test
