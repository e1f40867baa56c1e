// SPDX-License-Identifier: Apache-2.0
// Unions, intersections and differences of sorted sequences against those of std::ranges.
#include "../loops/support.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

struct entry {
  std::uint64_t key;
  std::uint64_t place;
  friend bool operator==(const entry&, const entry&) = default;
};
constexpr auto by_key = [](const entry& a, const entry& b) { return a.key < b.key; };

// Sorted. The places tell equal elements apart.
std::vector<entry> entries(std::size_t n, std::uint64_t different, std::uint64_t place) {
  std::mt19937_64 random(n + place);
  std::vector<entry> result(n);
  for (entry& e : result) e.key = random() % different;
  std::ranges::sort(result, by_key);
  for (entry& e : result) e.place = place++;
  return result;
}

// One key in all elements, runs that are longer than blocks, short runs, and keys that are rarely equal.
constexpr std::uint64_t spreads[] = {1, 5, 1000, 1'000'000'000};

// Calls check(std's algorithm, the parallel one, the serial one, name) for each.
template <class Check>
void for_each_operation(Check&& check) {
  using S = sennit::serial;
  check(std::ranges::set_union, sennit::parallel_set_union, S::parallel_set_union, "union");
  check(std::ranges::set_intersection, sennit::parallel_set_intersection, S::parallel_set_intersection,
        "intersection");
  check(std::ranges::set_difference, sennit::parallel_set_difference, S::parallel_set_difference,
        "difference");
  check(std::ranges::set_symmetric_difference, sennit::parallel_set_symmetric_difference,
        S::parallel_set_symmetric_difference, "symmetric difference");
}

// Catches cuts that separate the two elements of a pair, copies of the wrong one of equal elements, runs of steps that
// are miscounted at the ends of words and blocks, and marks that overflow a block of one element.
TEST(sets, are_the_serial_ones) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : sizes()) {
      for (const std::uint64_t spread : spreads) {
        for (const std::size_t other : {n, n / 30}) {
          if (how.grain == 1 && n > 1000) continue;
          const std::vector<entry> left = entries(n, spread, 0);
          const std::vector<entry> right = entries(other, spread, other == n ? 0 : 1'000'000);
          for_each_operation([&](auto expect, auto parallel, auto serial, const char* name) {
            std::vector<entry> expected;
            expect(left, right, std::back_inserter(expected), by_key);
            std::vector<entry> out(expected.size());
            EXPECT_TRUE(parallel(left, right, out, by_key, how) == out.end());
            ASSERT_TRUE(out == expected)
                << name << " of " << n << " and " << other << ", " << spread << " keys";
            ASSERT_TRUE(parallel(right, left, by_key, how) == serial(right, left, by_key)) << name;
            out.assign(left.size() + right.size(), entry{});
            out.erase(serial(left, right, out.begin(), by_key), out.end());
            ASSERT_TRUE(out == expected) << name << " in sennit::serial of " << n << " and " << other;
          });
        }
      }
    }
  });
}

// Catches forms that take keys, options or iterators for something else, elements that are not of the left type, and
// elements that have no default value.
TEST(sets, take_keys_and_iterators) {
  struct name {
    explicit name(std::string t) : text(std::move(t)) {}
    std::string text;
  };
  std::vector<name> left;
  std::vector<std::string> right;
  for (int i = 1000; i < 4000; ++i) left.emplace_back(std::to_string(i));
  for (int i = 3000; i < 9000; i += 2) right.push_back(std::to_string(i));
  const auto more =
      sennit::parallel_set_union(left, right, std::less<>(), &name::text, {}, sennit::grain(64));
  ASSERT_EQ(more.size(), 5500U);
  EXPECT_EQ(more[2001].text, "3001");
  EXPECT_EQ(more[5499].text, "8998");
  const std::vector<int> x{1, 2, 2, 3, 9};
  const int y[] = {2, 3, 3, 4};
  EXPECT_EQ(sennit::parallel_set_union(x.begin(), 5, y, std::end(y)), (std::vector{1, 2, 2, 3, 3, 4, 9}));
  EXPECT_EQ(sennit::parallel_set_intersection(x, y, sennit::grain(1)), (std::vector{2, 3}));
  std::vector<long> z(4);
  EXPECT_EQ(
      sennit::parallel_set_difference(x.begin(), x.end(), y, 4, z.begin(), sennit::grain(2)) - z.begin(), 3);
  EXPECT_EQ(z, (std::vector<long>{1, 2, 9, 0}));
}

// Catches keys that refer to a temporary element after its end, and comparisons that cannot take elements that may change.
TEST(sets, compare_temporary_elements) {
  const auto text = [](int i) { return "too long to be within the string " + std::to_string(i + 10'000); };
  const auto left = std::views::iota(0, 3000) | std::views::transform(text);
  const auto right = std::views::iota(2000, 3500) | std::views::transform(text);
  const std::vector<std::string> all = sennit::parallel_set_union(left, right, sennit::grain(64));
  ASSERT_EQ(all.size(), 3500U);
  for (int i = 0; i < 3500; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], text(i));
  std::deque<int> numbers(2000);
  std::iota(numbers.begin(), numbers.end(), 0);
  EXPECT_TRUE(sennit::parallel_set_difference(
                  numbers, numbers, [](int& a, int& b) { return a < b; }, sennit::grain(64))
                  .empty());
}

// Catches assignments of elements that are not in the result, which a destination may count or refuse.
TEST(sets, assign_nothing_but_the_result) {
  struct counting {
    counting& operator=(std::uint64_t) {
      assignments.fetch_add(1, std::memory_order_relaxed);
      return *this;
    }
    std::atomic<int>& assignments;
  };
  std::atomic<int> assignments{0};
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> left(20'000);
  std::vector<std::uint64_t> right(20'000);
  for (auto* side : {&left, &right}) {
    for (std::uint64_t& key : *side) key = random() % 30'000;
    std::ranges::sort(*side);
  }
  std::vector<counting> out(left.size(), counting{assignments});
  const auto end = sennit::parallel_set_intersection(left, right, out, sennit::grain(2000));
  EXPECT_EQ(assignments.load(), end - out.begin());
}

// Catches writes behind the result, and algorithms that do not end, where the precondition does not hold: sequences that
// are not sorted, NaN, and a comparison by <=.
TEST(sets, stay_in_bounds_without_order) {
  constexpr std::size_t n = 4096;
  std::mt19937_64 random(2);
  for (int round = 0; round != 40; ++round) {
    std::vector<double> left(n);
    std::vector<double> right(n - 1000);
    for (auto* side : {&left, &right}) {
      for (double& x : *side) x = static_cast<double>(random() % (round % 2 == 0 ? 10 : n));
      if (round % 4 != 0) std::ranges::sort(*side);
      if (round % 4 == 1)
        for (std::size_t i = 3; i < side->size(); i += 1 + random() % 100) (*side)[i] = std::nan("");
    }
    const bool wrong = round % 4 == 3;
    const auto less = [&](double a, double b) { return wrong ? a <= b : a < b; };
    for_each_operation([&](auto, auto parallel, auto, const std::string& name) {
      const std::size_t most =
          name == "intersection" ? right.size() : left.size() + (name == "difference" ? 0 : right.size());
      std::vector<double> out(most + 100, -1);
      try {
        parallel(left, right, out.begin(), less, sennit::grain(64));
      } catch (const std::invalid_argument&) {
      }
      EXPECT_EQ(std::count(out.end() - 100, out.end(), -1), 100) << name << ", round " << round;
    });
  }
}

// Catches elements behind the end of the result or of the destination, also where blocks are packed as they are compared.
TEST(sets, write_nothing_behind_the_result) {
  with_workers([] {
    for (const std::uint64_t spread : spreads) {
      const std::vector<entry> left = entries(50'000, spread, 0);
      const std::vector<entry> right = entries(30'000, spread, 1'000'000);
      for_each_operation([&](auto expect, auto parallel, auto serial, const char* name) {
        std::vector<entry> expected;
        expect(left, right, std::back_inserter(expected), by_key);
        std::vector<entry> out(expected.size() + 100, entry{7, 7});
        const auto end = parallel(left, right, out.begin(), by_key, sennit::grain(1000));
        ASSERT_EQ(end - out.begin(), static_cast<std::ptrdiff_t>(expected.size())) << name;
        EXPECT_EQ(std::count(end, out.end(), entry{7, 7}), 100) << name;
        if (expected.empty()) return;
        std::vector<entry> small(expected.size() - 1);
        EXPECT_THROW(parallel(left, right, small, by_key, sennit::grain(1000)), std::invalid_argument)
            << name;
        EXPECT_THROW(serial(left, right, small, by_key), std::invalid_argument) << name;
      });
    }
  });
}

// Catches exceptions of comparisons and copies that get lost or end the program.
TEST(sets, pass_exceptions_on) {
  struct fragile {
    int key = 0;
    fragile() = default;
    explicit fragile(int k) : key(k) {}
    fragile(const fragile&) = default;
    fragile& operator=(const fragile& other) {
      if (other.key == 7000) throw failure{1};
      key = other.key;
      return *this;
    }
  };
  with_workers([] {
    std::vector<fragile> left;
    std::vector<fragile> right;
    for (int i = 0; i < 20'000; ++i) (i % 3 == 0 ? left : right).emplace_back(i);
    std::vector<fragile> out(20'000);
    EXPECT_THROW(sennit::parallel_set_union(left, right, out, {}, &fragile::key, &fragile::key), failure);
    EXPECT_THROW(sennit::parallel_set_union(left, right, std::less<>(), &fragile::key, &fragile::key),
                 failure);
    const auto less = [](int a, int b) { return a == 15'000 || b == 15'000 ? throw failure{2} : a < b; };
    EXPECT_THROW(sennit::parallel_set_difference(left, right, out, less, &fragile::key, &fragile::key),
                 failure);
    EXPECT_THROW(sennit::parallel_includes(left, left, less, &fragile::key, &fragile::key), failure);
  });
}

// Catches counts of equal elements that are split between two parts.
TEST(includes, counts_equal_elements) {
  with_workers([] {
    for (const std::uint64_t spread : spreads) {
      const std::vector<entry> all = entries(100'000, spread, 0);
      std::vector<entry> some;
      for (std::size_t i = 0; i < all.size(); i += 2) some.push_back(all[i]);
      EXPECT_TRUE(sennit::parallel_includes(all, all, by_key));
      EXPECT_TRUE(sennit::parallel_includes(all, some, by_key));
      EXPECT_TRUE(
          sennit::serial::parallel_includes(all.begin(), all.end(), some.begin(), some.size(), by_key));
      EXPECT_FALSE(sennit::parallel_includes(some, all, by_key));
      some.back().key += spread;
      EXPECT_FALSE(sennit::parallel_includes(all, some, by_key));
      EXPECT_TRUE(sennit::parallel_includes(all, std::vector<entry>{}, by_key));
    }
  });
}

// Catches an answer or an exception that depends on which of several strands comes first.
TEST(includes, throws_as_the_serial_one) {
  with_workers([] {
    constexpr int n = 400'000;
    std::vector<int> all(n);
    std::iota(all.begin(), all.end(), 0);
    for (const int missing : {10'000, n / 2, n - 10}) {
      for (const int fragile : {10, n / 4 + 1, n / 2 + 5, n - 1}) {
        std::vector<int> some = all;
        some.insert(some.begin() + missing, some[static_cast<std::size_t>(missing)]);
        const auto less = [&](int a, int b) {
          return a == fragile || b == fragile ? throw failure{1} : a < b;
        };
        if (fragile < missing) {
          EXPECT_THROW(sennit::parallel_includes(all, some, less), failure) << missing << ", " << fragile;
        } else {
          EXPECT_FALSE(sennit::parallel_includes(all, some, less)) << missing << ", " << fragile;
        }
      }
    }
  });
}

}  // namespace
}  // namespace sennit_test
