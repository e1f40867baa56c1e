// SPDX-License-Identifier: Apache-2.0
// Merges and selections against those of std::ranges.
#include "../loops/support.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
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

std::vector<entry> entries(std::size_t n, std::uint64_t different, std::uint64_t seed) {
  std::mt19937_64 random(n + seed);
  std::vector<entry> result(n);
  for (std::size_t i = 0; i < n; ++i) result[i] = {random() % different, i + seed};
  return result;
}
std::vector<entry> in_order(std::vector<entry> all) {
  std::ranges::stable_sort(all, by_key);
  return all;
}

constexpr std::uint64_t spreads[] = {1, 3, 1'000'000};

// Catches cuts that separate or exchange equal elements, and ends that are left out.
TEST(merge, is_the_serial_one) {
  with_workers([] {
    for (const std::size_t n : sizes()) {
      for (const std::uint64_t spread : spreads) {
        const std::vector<entry> left = in_order(entries(n, spread, 0));
        const std::vector<entry> right = in_order(entries(n / 3, spread, 1'000'000));
        std::vector<entry> expected(left.size() + right.size());
        std::ranges::merge(left, right, expected.begin(), by_key);
        std::vector<entry> merged(expected.size());
        EXPECT_TRUE(sennit::parallel_merge(left, right, merged, by_key) == merged.end());
        ASSERT_TRUE(merged == expected) << n << " elements, " << spread << " keys";

        std::ranges::copy(right, std::ranges::copy(left, merged.begin()).out);
        sennit::parallel_inplace_merge(merged, merged.begin() + static_cast<std::ptrdiff_t>(n), by_key);
        ASSERT_TRUE(merged == expected) << n << " elements, " << spread << " keys, in place";
        std::ranges::copy(right, std::ranges::copy(left, merged.begin()).out);
        sennit::detail::in_place_merge<sennit::detail::in_parallel>(
            merged.begin(), merged.begin() + static_cast<std::ptrdiff_t>(n), merged.end(), by_key);
        ASSERT_TRUE(merged == expected) << n << " elements, " << spread << " keys, without memory";
      }
    }
  });
  std::vector<int> small(3);
  EXPECT_THROW(sennit::parallel_merge(std::vector{1, 2}, std::vector{3, 4}, small), std::invalid_argument);
}

// Catches an exception of a comparison that the serial merge would not have come to: in the search for a cut, or at a
// block's other end. Catches writes outside of the destination where a sequence is not sorted.
TEST(merge, throws_as_the_serial_one) {
  constexpr int n = 40'000;
  std::vector<int> left(n);
  for (int i = 0; i < n; ++i) left[static_cast<std::size_t>(i)] = 2 * i;
  std::vector<int> right = left;
  for (int& i : right) ++i;
  std::vector<int> out(2 * n + 100, -1);
  int least = 0;
  const auto less = [&](int a, int b) {
    // Many elements throw, each something else.
    for (const int i : {a, b})
      if (i >= least && i % 1001 == 0) throw i;
    return a < b;
  };
  const auto thrown = [&](auto merge) {
    try {
      merge(left, right, out.begin(), less);
    } catch (int i) {
      return i;
    }
    return -1;
  };
  with_workers([&] {
    for (least = 1; least < 2 * n; least += 5003)
      EXPECT_EQ(thrown(sennit::parallel_merge), thrown(std::ranges::merge)) << least;
    EXPECT_EQ(thrown(sennit::parallel_merge), -1);
  });
  std::ranges::reverse(left);
  EXPECT_THROW(sennit::parallel_merge(left, right, out.begin(), less), std::invalid_argument);
  EXPECT_EQ(std::count(out.end() - 100, out.end(), -1), 100);
}

struct only_less {
  int value;
  friend bool operator<(const only_less& a, const only_less& b) { return a.value < b.value; }
};

// Catches an algorithm on sorted sequences that wants more operators of elements than a sort does.
TEST(merge, needs_no_operator_but_less) {
  const std::vector<only_less> x{{1}, {3}};
  const std::vector<only_less> y{{2}, {3}};
  std::vector<only_less> all(4);
  sennit::parallel_merge(x, y, all);
  EXPECT_EQ(all[2].value, 3);
  sennit::parallel_inplace_merge(all, all.begin() + 2);
  EXPECT_TRUE(sennit::parallel_includes(all, x));
  EXPECT_EQ(sennit::parallel_set_union(x, y).size(), 3U);
}

// Catches elements that stay in the buffer when a comparator throws or the region is cancelled.
TEST(merge, in_place_keeps_all_elements) {
  with_workers([] {
    for (int at = 0; at < 60'000; at += 1999) {
      for (const bool cancels : {false, true}) {
        constexpr int n = 40'000;
        std::deque<std::unique_ptr<int>> all;
        for (int i = 0; i < n; ++i) all.push_back(std::make_unique<int>(i * 2 % n + (i * 2 >= n ? 1 : 0)));
        std::atomic<int> calls{0};
        sennit::region r;
        try {
          r.run([&] {
            sennit::parallel_inplace_merge(all.begin(), all.begin() + n / 2, all.end(),
                                           [&](const auto& a, const auto& b) {
                                             if (calls.fetch_add(1) == at) {
                                               if (!cancels) throw failure{0};
                                               r.cancel();
                                             }
                                             return *a < *b;
                                           });
          });
        } catch (const failure&) {
        }
        std::ranges::sort(all);
        std::vector<bool> seen(n);
        for (const auto& element : all) {
          ASSERT_TRUE(element != nullptr && !seen[static_cast<std::size_t>(*element)])
              << "at comparison " << at;
          seen[static_cast<std::size_t>(*element)] = true;
        }
      }
    }
  });
}

// Catches elements on the wrong side, lost ones, and a choice that depends on workers.
TEST(select, puts_elements_on_their_sides) {
  with_workers([] {
    for (const std::size_t n : sizes()) {
      for (const std::uint64_t spread : spreads) {
        const std::vector<entry> input = entries(n, spread, 0);
        const std::vector<entry> sorted = in_order(input);
        for (const std::size_t k : {std::size_t{0}, n / 3, n}) {
          const auto at = static_cast<std::ptrdiff_t>(k);
          std::vector<entry> all = input;
          sennit::parallel_nth_element(all, all.begin() + at, by_key);
          for (std::size_t i = 0; i < n && k < n; ++i) {
            ASSERT_TRUE(i < k ? all[i].key <= sorted[k].key : all[i].key >= sorted[k].key) << n << ", " << k;
          }
          ASSERT_TRUE(k == n || all[k].key == sorted[k].key) << n << ", " << k;
          std::vector<entry> again = input;
          sennit::serial::parallel_nth_element(again.begin(), again.begin() + at, again.end(), by_key);
          ASSERT_TRUE(all == again);
          std::ranges::sort(all, {}, &entry::place);
          ASSERT_TRUE(all == input) << n << ", " << k;

          sennit::parallel_partial_sort(all, all.begin() + at, by_key);
          for (std::size_t i = 0; i < k; ++i) ASSERT_EQ(all[i].key, sorted[i].key) << n << ", " << k;
          std::ranges::sort(all, {}, &entry::place);
          ASSERT_TRUE(all == input) << n << ", " << k;
        }
      }
    }
  });
}

// Catches a selection of a few that sorts all; and one that loses elements where many are equal, or where all of the sample
// are among the least.
TEST(select, finds_a_few_of_many) {
  constexpr std::size_t n = 40'000;
  std::vector<std::vector<entry>> inputs;
  for (const std::uint64_t spread : spreads) inputs.push_back(entries(n, spread, 0));
  inputs.push_back(entries(n, 1'000'000, 0));
  for (entry& e : inputs.back()) e.key += 1'000'000;
  sennit::detail::sample_places next(n, n / 32);
  for (std::size_t i = 0; i != n / 32; ++i) inputs.back()[next()].key = i;
  with_workers([&] {
    for (const std::vector<entry>& input : inputs) {
      const std::vector<entry> sorted = in_order(input);
      const bool misleads = &input == &inputs.back();
      for (const std::ptrdiff_t k : {1, 10, 1000}) {
        std::vector<entry> all = input;
        sennit::parallel_partial_sort(all, all.begin() + k, by_key);
        ASSERT_TRUE(std::ranges::equal(all.begin(), all.begin() + k, sorted.begin(), sorted.begin() + k, {},
                                       &entry::key, &entry::key));
        std::vector<entry> again = input;
        std::size_t comparisons = 0;
        sennit::serial::parallel_partial_sort(again, again.begin() + k, [&](const entry& a, const entry& b) {
          ++comparisons;
          return a.key < b.key;
        });
        ASSERT_TRUE(all == again);
        EXPECT_TRUE(misleads || comparisons < 3 * n) << comparisons << " comparisons for " << k;
        std::ranges::sort(all, {}, &entry::place);
        ASSERT_TRUE(all == input);
        sennit::parallel_nth_element(all, all.begin() + k, by_key);
        ASSERT_EQ(all[static_cast<std::size_t>(k)].key, sorted[static_cast<std::size_t>(k)].key);
      }
    }
  });
}

// Catches ranks that are counted from a window's wrong end, equal elements in another order, and a destination of another
// size than the input.
TEST(select, finds_ranks) {
  with_workers([] {
    for (const std::size_t n : sizes()) {
      for (const std::uint64_t spread : spreads) {
        const std::vector<entry> all = entries(n, spread, 0);
        const std::vector<entry> sorted = in_order(all);
        for (const std::size_t k : {std::size_t{0}, n / 100, n / 2, n - 1}) {
          if (k >= n) continue;
          ASSERT_EQ(*sennit::parallel_kth_smallest(all, k, by_key), sorted[k])
              << n << ", " << k << ", " << spread;
          ASSERT_EQ(*sennit::serial::parallel_kth_smallest(all.begin(), n, k, by_key), sorted[k]) << n;
        }
        for (const std::size_t k : {std::size_t{0}, std::size_t{1}, n / 100, n / 2, n, n + 3}) {
          std::vector<entry> lowest(k);
          const auto end = sennit::parallel_partial_sort_copy(all, lowest, by_key);
          ASSERT_EQ(static_cast<std::size_t>(end - lowest.begin()), std::min(k, n)) << n;
          ASSERT_TRUE(std::equal(lowest.begin(), end, sorted.begin())) << n << ", " << k << ", " << spread;
          std::vector<entry> again(k);
          sennit::serial::parallel_partial_sort_copy(all.begin(), all.end(), again.begin(), k, by_key);
          ASSERT_TRUE(again == lowest) << n << ", " << k;
        }
      }
    }
  });
  EXPECT_THROW(sennit::parallel_kth_smallest(std::vector{1, 2, 3}, 3), std::out_of_range);
  const auto less = [](int a, int b) { return a == 70'000 || b == 70'000 ? throw failure{0} : a < b; };
  std::vector<int> numbers(100'000);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<int> lowest(10);
  EXPECT_THROW(sennit::parallel_kth_smallest(numbers, 5, less), failure);
  EXPECT_THROW(sennit::parallel_partial_sort_copy(numbers, lowest, less), failure);
  lowest.resize(50'000);
  EXPECT_THROW(sennit::parallel_partial_sort_copy(numbers, lowest, less), failure);
}

// Catches: functions that take elements which are not constant, and are given a constant one; reads and writes outside of the
// range where a comparison is no order; copies of elements whose vector is a set of bits.
TEST(select, takes_what_the_standard_library_takes) {
  with_workers([] {
    std::vector<entry> all = entries(5000, 100, 0);
    const std::vector<entry> sorted = in_order(all);
    const auto key_of = [](entry& e) { return e.key; };
    sennit::parallel_nth_element(all, all.begin() + 5, std::less<>(), key_of);
    EXPECT_EQ(all[5].key, sorted[5].key);
    std::vector<int> same(5000, 1);
    sennit::parallel_nth_element(same, same.begin() + 10, std::less_equal<>());
    EXPECT_EQ(std::ranges::count(same, 1), 5000);
    std::vector<double> numbers(100'000);
    for (std::size_t i = 0; i != numbers.size(); ++i)
      numbers[i] =
          i % 3 == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(i * 7919 % 10'007);
    for (const std::size_t k : {std::size_t{0}, std::size_t{100}, std::size_t{50'000}, numbers.size() - 1}) {
      const auto found = sennit::parallel_kth_smallest(numbers, k) - numbers.begin();
      EXPECT_TRUE(0 <= found && found < 100'000);
    }
    const bool flags[] = {true, false, true, false};
    std::vector<char> lowest(3);
    sennit::parallel_partial_sort_copy(flags, lowest);
    EXPECT_EQ(lowest, (std::vector<char>{0, 0, 1}));
    // Of many, all lowest ones at the end.
    std::vector<int> ones(200'000, 1);
    std::fill(ones.end() - 20'000, ones.end(), 0);
    sennit::parallel_partial_sort(ones, ones.begin() + 1000);
    EXPECT_TRUE(std::all_of(ones.begin(), ones.begin() + 1000, [](int v) { return v == 0; }));
    EXPECT_EQ(std::ranges::count(ones, 0), 20'000);
  });
}

}  // namespace
}  // namespace sennit_test
