// Histograms, groups and shuffles, against plain loops.
#include "../loops/support.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
