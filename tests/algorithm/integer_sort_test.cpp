// SPDX-License-Identifier: Apache-2.0
// parallel_integer_sort, and the sorts that use digits, against std::ranges::stable_sort.
#include "../loops/support.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

std::vector<std::size_t> lengths() {
  return {0, 1, 2, 24, 25, 300, 5000, 40'000, static_cast<std::size_t>(scaled(150'000))};
}

// Keys of many kinds: spread, few, in order, nearly in order, in one bucket but for some, equal but for one.
constexpr int patterns = 9;
std::uint64_t key_at(int pattern, std::size_t i, std::size_t n, std::mt19937_64& random) {
  const std::uint64_t r = random();
  switch (pattern) {
    case 0: return r;
    case 1: return r % 3 << 40;
    case 2: return i;
    case 3: return n - i;
    case 4: return r % 50 == 0 ? r % n : i;
    case 5: return r >> (r % 64);
    case 6: return i == n / 2 ? 0 : 7;
    case 7: return i % 1000 == 1 ? r : 1'000'000 + r % 1000;
    default: return std::min(i, n - i);
  }
}

struct entry {
  std::int64_t key;
  std::uint64_t place;
  friend bool operator==(const entry&, const entry&) = default;
};
std::vector<entry> entries(std::size_t n, int pattern) {
  std::mt19937_64 random(n);
  std::vector<entry> result(n);
  for (std::size_t i = 0; i < n; ++i)
    result[i] = {static_cast<std::int64_t>(key_at(pattern, i, n, random)), i};
  return result;
}

// Catches elements that are lost, doubled or out of order, equal ones that change places, and signs.
TEST(integer_sort, is_the_serial_stable_sort) {
  with_workers([] {
    for (const std::size_t n : lengths()) {
      for (int pattern = 0; pattern < patterns; ++pattern) {
        const std::vector<entry> input = entries(n, pattern);
        std::vector<entry> expected = input;
        std::ranges::stable_sort(expected, {}, &entry::key);
        std::vector<entry> sorted = input;
        sennit::parallel_integer_sort(sorted, &entry::key);
        ASSERT_TRUE(sorted == expected) << n << " elements, pattern " << pattern;
        sorted = input;
        sennit::serial::parallel_integer_sort(sorted.begin(), sorted.end(), &entry::key);
        ASSERT_TRUE(sorted == expected) << n << " elements, pattern " << pattern << ", serial";

        std::ranges::stable_sort(expected = input, std::ranges::greater(), &entry::key);
        sennit::parallel_stable_sort(sorted = input, std::greater<>(), &entry::key);
        ASSERT_TRUE(sorted == expected) << n << " elements, pattern " << pattern << ", from the highest";
      }
    }
  });
}

template <class K>
void expect_sorted_keys() {
  for (const std::size_t n :
       {std::size_t{20}, std::size_t{3000}, static_cast<std::size_t>(scaled(100'000))}) {
    std::mt19937_64 random(n);
    std::vector<K> keys(n);
    for (K& key : keys) {
      const std::uint64_t r = random();
      if constexpr (std::is_floating_point_v<K>) {
        key = static_cast<K>(std::ldexp(static_cast<double>(r % 1000) - 500, static_cast<int>(r >> 20) % 60));
        if (r % 7 == 0) key = r % 2 == 0 ? K{0} : -K{0};
        if (r % 101 == 0) key = std::numeric_limits<K>::infinity() * (r % 2 == 0 ? K{1} : K{-1});
      } else {
        key = static_cast<K>(r);
      }
    }
    std::vector<K> expected = keys;
    std::ranges::stable_sort(expected);
    sennit::parallel_stable_sort(keys);
    ASSERT_TRUE(std::ranges::equal(keys, expected, [](K a, K b) {
      if constexpr (std::is_floating_point_v<K>) return a == b && std::signbit(a) == std::signbit(b);
      return a == b;
    }));
    std::ranges::reverse(keys);
    sennit::parallel_sort(keys, std::ranges::less());
    ASSERT_TRUE(keys == expected);
  }
}

// Catches a type whose bits are not in the order of its values, and zeros that are told apart.
TEST(integer_sort, takes_keys_of_all_arithmetic_types) {
  expect_sorted_keys<signed char>();
  expect_sorted_keys<std::uint16_t>();
  expect_sorted_keys<int>();
  expect_sorted_keys<unsigned long long>();
  expect_sorted_keys<float>();
  expect_sorted_keys<double>();
}

// Catches elements that are copied where they only move, or not ended, and containers that are taken for arrays.
TEST(integer_sort, takes_elements_that_only_move) {
  enum class color : unsigned char { red, green, blue };
  with_workers([] {
    for (const std::size_t n : {std::size_t{2}, std::size_t{100}, std::size_t{20'000}}) {
      std::deque<tracked> values;
      std::vector<std::pair<color, std::string>> words;
      std::mt19937 random(static_cast<unsigned>(n));
      for (std::size_t i = 0; i < n; ++i) {
        values.emplace_back(random());
        words.emplace_back(static_cast<color>(random() % 3),
                           "a word that is allocated: " + std::to_string(i));
      }
      auto expected = words;
      std::ranges::stable_sort(expected, {}, [](const auto& word) { return word.first; });
      sennit::parallel_integer_sort(values, &tracked::value);
      EXPECT_TRUE(std::ranges::is_sorted(values, {}, &tracked::value));
      EXPECT_EQ(tracked::live(), static_cast<std::int64_t>(n));
      sennit::parallel_integer_sort(words.begin(), words.size(), [](const auto& word) { return word.first; });
      EXPECT_TRUE(words == expected);
    }
  });
  std::vector<int> v{3, 1, 2};
  sennit::parallel_integer_sort(v | std::views::reverse);
  EXPECT_EQ(v, (std::vector<int>{3, 2, 1}));
}

// Sorts with disturb() called at the given call of the key function. All elements have to be there afterwards.
template <class T, class Disturb>
bool sort_disturbed(std::size_t n, int at, const Disturb& disturb) {
  std::vector<T> elements;
  std::mt19937_64 random(n);
  for (std::size_t i = 0; i < n; ++i) elements.emplace_back(random(), i);
  std::atomic<int> calls{0};
  bool disturbed = false;
  try {
    sennit::parallel_integer_sort(elements, [&](const T& element) {
      if (calls.fetch_add(1, std::memory_order_relaxed) == at) disturb();
      return element.first;
    });
  } catch (const failure&) {
    disturbed = true;
  } catch (const sennit::cancelled&) {
    disturbed = true;
  }
  EXPECT_TRUE(disturbed || std::ranges::is_sorted(elements, {}, &T::first));
  std::vector<bool> seen(n);
  for (const T& element : elements) {
    const std::size_t place = element.second;
    if (seen[place]) {
      ADD_FAILURE() << "element " << place << " of " << n << " is there twice, disturbed at call " << at;
      break;
    }
    seen[place] = true;
  }
  return disturbed;
}

using small = std::pair<std::uint64_t, std::uint64_t>;
struct large : small {
  using small::small;
  std::array<char, 100> more{};
};

// Catches a pass that is left half done: elements in two places, or in the buffer alone.
TEST(integer_sort, keeps_all_elements_when_a_key_throws) {
  with_workers([] {
    const auto disturb = [] { throw failure{0}; };
    for (int at = 0; sort_disturbed<small>(20, at, disturb); ++at) {
    }
    for (int at = 0; sort_disturbed<small>(300, at, disturb); at += 17) {
    }
    for (int at = 0; sort_disturbed<small>(100'000, at, disturb); at += 20'011) {
    }
    for (int at = 0; sort_disturbed<large>(1000, at, disturb); at += 101) {
    }
  });
}

// Catches blocks and buckets that a cancelled region dropped.
TEST(integer_sort, keeps_all_elements_when_its_region_is_cancelled) {
  with_workers([] {
    for (const int at : {0, 90'000, 110'000, 200'000, 300'000, 400'000, 500'000}) {
      sennit::region r;
      r.run([&] { sort_disturbed<small>(100'000, at, [&] { r.cancel(); }); });
      sennit::region other;
      other.run([&] { sort_disturbed<large>(100'000, at, [&] { other.cancel(); }); });
    }
  });
}

}  // namespace
}  // namespace sennit_test
