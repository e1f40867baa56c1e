// SPDX-License-Identifier: Apache-2.0
// Histograms, groups and shuffles, against plain loops.
#include "../loops/support.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

// Catches elements that are not counted, or twice, in parts that other strands take, for few and for many keys.
TEST(group, counts_keys) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : sizes()) {
      for (const std::size_t keys : {1U, 3U, 256U, 1000U, 50'000U}) {
        std::mt19937 random(static_cast<unsigned>(n));
        std::vector<std::uint32_t> x(n);
        for (auto& key : x) key = static_cast<std::uint32_t>(random() % keys);
        std::vector<std::size_t> expected(keys);
        for (const auto key : x) ++expected[key];
        ASSERT_EQ(sennit::parallel_histogram(x, keys, how), expected) << n << ' ' << keys;
      }
    }
    const std::vector<std::string> words{"a", "bb", "c", "dd", "e"};
    EXPECT_EQ(sennit::parallel_histogram(words.begin(), 5, 3, &std::string::size, how),
              (std::vector<std::size_t>{0, 3, 2}));
    EXPECT_EQ(sennit::serial::parallel_histogram(words, 3, &std::string::size),
              (std::vector<std::size_t>{0, 3, 2}));
  });
}

// Catches counts behind the end, for keys that are too large or negative.
TEST(group, refuses_keys_that_are_too_large) {
  std::vector<int> x(1000, 4);
  x[700] = 5;
  try {
    sennit::parallel_histogram(x, 5);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::out_of_range& refused) {
    EXPECT_STREQ(refused.what(),
                 "sennit::parallel_histogram: the key 5 is not below the number of keys, 5; give a "
                 "greater number, or a function that makes a key of an element");
  }
  x[700] = -1;
  EXPECT_THROW(sennit::parallel_histogram(x, 5), std::out_of_range);
}

// Catches groups that are split or mixed, and elements or operands in another order.
TEST(group, groups_by_keys) {
  const auto check = [](auto policy) {
    using P = decltype(policy);
    std::vector<std::pair<int, std::string>> x;
    std::map<int, std::string> expected;
    for (int i = 0; i < 3000; ++i) {
      const int key = i * 7919 % 13 == 0 ? i : i * 7919 % 31 - 15;
      x.emplace_back(key, std::to_string(i) + ' ');
      expected[key] += x.back().second;
    }
    const auto groups = P::parallel_group_by(x, &std::pair<int, std::string>::first);
    ASSERT_EQ(groups.size(), expected.size());
    std::size_t g = 0;
    for (const auto& [key, text] : expected) {
      ASSERT_EQ(groups.key(g), key);
      std::string joined;
      for (const auto& element : groups[g]) joined += element.second;
      ASSERT_EQ(joined, text);
      ++g;
    }
    const auto texts = P::parallel_reduce_by_key(x, &std::pair<int, std::string>::first, std::string(),
                                                 &std::pair<int, std::string>::second);
    EXPECT_TRUE(
        std::equal(texts.begin(), texts.end(), expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second; }));
    x.clear();
    EXPECT_EQ(P::parallel_group_by(x, &std::pair<int, std::string>::first).size(), 0U);
  };
  with_workers([&] { check(sennit::parallel()); });
  check(sennit::serial());
}

// Catches keys that are lost or there twice where a strand has a table of them or where elements are sorted, a table that is
// too small, values in another order than that of the input, and a first value that is combined once for each part.
TEST(reduce_by_key, has_the_values_of_few_and_of_many_keys) {
  for (const std::size_t n : {1U, 5000U, 60'000U}) {
    for (const std::int64_t keys : {1, 40, 9000, 1'000'000'000}) {
      std::mt19937 random(static_cast<unsigned>(n));
      std::vector<std::pair<std::int64_t, int>> x(n);
      std::map<std::int64_t, std::vector<int>> expected;
      for (std::size_t i = 0; i != n; ++i) {
        // The sample sees few keys, but there are many at the end.
        const std::int64_t key = i > n - n / 8 ? static_cast<std::int64_t>(i) : random() % keys - keys / 2;
        x[i] = {key, static_cast<int>(i)};
        auto& values = expected[key];
        if (values.empty()) values.push_back(-1);
        values.push_back(static_cast<int>(i));
      }
      const auto check = [&](auto policy) {
        using P = decltype(policy);
        const auto found = P::parallel_reduce_by_key(
            x, &std::pair<std::int64_t, int>::first, std::vector<int>{-1},
            [](const auto& e) { return std::vector<int>{e.second}; },
            [](std::vector<int>& left, const std::vector<int>& right) {
              left.insert(left.end(), right.begin(), right.end());
            });
        EXPECT_TRUE(std::equal(
            found.begin(), found.end(), expected.begin(), expected.end(),
            [](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second; }))
            << n << ' ' << keys;
      };
      with_workers([&] { check(sennit::parallel()); });
      check(sennit::serial());
    }
  }
}

// Catches keys that are lost or there twice, values in another order than that of the input, values of other keys whose
// hashes are the same, and an order of entries that depends on workers.
TEST(hash_map, has_a_value_for_each_key) {
  using element = std::pair<std::string, std::string>;
  for (const std::size_t n : {0U, 1U, 2U, 1000U, 100'000U}) {
    for (const std::size_t keys : {1U, 300U, 1'000'000U}) {
      std::mt19937 random(static_cast<unsigned>(n));
      std::vector<element> x(n);
      std::map<std::string, std::string> expected;
      for (element& e : x) {
        e = {std::to_string(random() % keys), std::to_string(random() % 10)};
        expected[e.first] += e.second;
      }
      // One hash for all keys, or for ten each.
      const std::size_t divisor = n > 1000 && keys > 300 ? 10 : keys > 300 ? 1 : 1'000'000;
      const auto hash = [=](const std::string& key) { return std::stoul(key) / divisor; };
      const auto append = [](std::string& a, const std::string& b) { a += b; };
      const auto alone =
          sennit::serial::parallel_hash_map(x, &element::first, &element::second, append, hash);
      with_workers([&] {
        const auto map = sennit::parallel_hash_map(x, &element::first, &element::second, append, hash);
        EXPECT_TRUE((std::map<std::string, std::string>(map.begin(), map.end()) == expected));
        ASSERT_EQ(map.size(), expected.size());
        for (const auto& [key, value] : expected) {
          const std::string* const found = map.find(key);
          ASSERT_TRUE(found != nullptr && *found == value) << key;
        }
        EXPECT_FALSE(map.contains(std::to_string(keys)));
        ASSERT_EQ(map.parts(), alone.parts());
        for (std::size_t i = 0; i != map.parts(); ++i)
          ASSERT_TRUE(std::ranges::equal(map.part(i), alone.part(i)));
      });
    }
  }
  const std::vector<element> twice{{"a", "first"}, {"b", "other"}, {"a", "second"}};
  EXPECT_EQ(*sennit::parallel_hash_map(twice, &element::first, &element::second).find("a"), "first");
}

// Catches: keys that are copied where they were made for the map, and functions that are called by parentheses only.
TEST(hash_map, takes_keys_that_only_move) {
  struct id {
    std::unique_ptr<int> number;
    bool same(const id& other) const { return *number == *other.number; }
    std::size_t hash() const { return static_cast<std::size_t>(*number); }
  };
  std::vector<int> x(40'000);
  std::iota(x.begin(), x.end(), 0);
  with_workers([&] {
    const auto made = [](int v) { return id{std::make_unique<int>(v % 100)}; };
    const auto map =
        sennit::parallel_hash_map(x, made, [](int) { return 1; }, std::plus<>(), &id::hash, &id::same);
    EXPECT_EQ(map.size(), 100U);
    EXPECT_EQ(*map.find(made(7)), 400);
  });
}

// Catches maps that are made of a part of the elements when a function throws.
TEST(hash_map, throws_what_functions_throw) {
  std::vector<int> x(50'000);
  std::iota(x.begin(), x.end(), 0);
  const auto one = [](int) { return 1; };
  const auto check = [](int v) { return v == 33'333 ? throw failure{0} : v % 1000; };
  const auto hash = [](int key) { return static_cast<std::size_t>(key); };
  const auto equal = [](int a, int b) { return a == 700 ? throw failure{0} : a == b; };
  with_workers([&] {
    EXPECT_THROW(sennit::parallel_hash_map(x, check, one, std::plus<>(), hash), failure);
    EXPECT_THROW(sennit::parallel_hash_map(x, one, check, std::plus<>(), hash), failure);
    EXPECT_THROW(sennit::parallel_hash_map(x, std::identity(), one, std::plus<>(), check), failure);
    EXPECT_THROW(sennit::parallel_hash_map(
                     x, [](int v) { return v % 1000; }, one, std::plus<>(), hash, equal),
                 failure);
  });
}

// Catches an order that depends on workers, elements that are lost, and ones that stay where they are.
TEST(shuffle, depends_on_the_seed_alone) {
  for (const std::size_t n : {0U, 1U, 2U, 1000U, 200'000U}) {
    const std::vector<std::size_t> expected = sennit::serial::parallel_random_permutation(n, 5);
    std::vector<std::size_t> sorted = expected;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i], i);
    with_workers([&] {
      EXPECT_EQ(sennit::parallel_random_permutation(n, 5), expected);
      if (n > 2) {
        EXPECT_NE(sennit::parallel_random_permutation(n, 6), expected);
      }
    });
  }
}

// Catches orders that are more likely than others: each of the 24 orders of four elements comes up as often.
TEST(shuffle, gives_each_order) {
  std::map<std::vector<std::size_t>, int> seen;
  for (std::uint64_t seed = 0; seed < 24'000; ++seed) ++seen[sennit::parallel_random_permutation(4, seed)];
  EXPECT_EQ(seen.size(), 24U);
  for (const auto& [order, times] : seen) EXPECT_NEAR(times, 1000, 160) << testing::PrintToString(order);

  // Over several buckets: the mean distance that an element moves is a third of the length.
  const std::vector<std::size_t> order = sennit::parallel_random_permutation(300'000, 1);
  double distance = 0;
  for (std::size_t i = 0; i < order.size(); ++i) distance += std::abs(double(order[i]) - double(i));
  EXPECT_NEAR(distance / 300'000, 100'000, 600);
}

// Catches elements that stay in the buffer when the region ends, and elements that cannot be copied.
TEST(shuffle, loses_nothing) {
  with_workers([] {
    for (const bool cancels : {false, true}) {
      std::vector<std::unique_ptr<std::size_t>> x;
      for (std::size_t i = 0; i < 20'000; ++i) x.push_back(std::make_unique<std::size_t>(i));
      sennit::region r;
      r.run([&] {
        if (cancels) r.cancel();
        sennit::parallel_shuffle(x, 3);
      });
      std::vector<char> seen(x.size());
      for (const auto& pointer : x) {
        ASSERT_NE(pointer, nullptr);
        seen[*pointer] = 1;
      }
      EXPECT_EQ(std::ranges::count(seen, 1), 20'000);
    }
  });
}

}  // namespace
}  // namespace sennit_test
