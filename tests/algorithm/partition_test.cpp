// SPDX-License-Identifier: Apache-2.0
// Partitions and flattening, against their serial namesakes.
#include "../loops/support.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <list>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

// The numbers below n, so that each is recognized. The predicate holds for some share of them.
std::vector<std::uint64_t> numbers(std::size_t n) {
  std::vector<std::uint64_t> result(n);
  std::iota(result.begin(), result.end(), std::uint64_t{0});
  return result;
}
struct drawn {
  std::uint64_t percent;
  bool operator()(std::uint64_t value) const { return (value * 0x9e3779b97f4a7c15U >> 32U) % 100 < percent; }
};

// Catches elements on the wrong side, lost or doubled ones, and, where order is promised, another order.
TEST(partition, is_the_serial_one) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : {0U, 1U, 2U, 63U, 64U, 65U, 1000U, 10'000U}) {
      for (const std::uint64_t percent : {0U, 1U, 50U, 99U, 100U}) {
        const drawn wanted{percent};
        const std::vector<std::uint64_t> in = numbers(n);
        std::vector<std::uint64_t> expected;
        std::ranges::copy_if(in, std::back_inserter(expected), wanted);
        const auto middle = static_cast<std::ptrdiff_t>(expected.size());
        std::ranges::remove_copy_if(in, std::back_inserter(expected), wanted);

        std::vector<std::uint64_t> stable = in;
        EXPECT_EQ(sennit::parallel_stable_partition(stable, wanted, how) - stable.begin(), middle);
        EXPECT_EQ(stable, expected);

        std::vector<std::uint64_t> swapped = in;
        EXPECT_EQ(sennit::parallel_partition(swapped, wanted, how) - swapped.begin(), middle);
        std::sort(swapped.begin(), swapped.begin() + middle);
        std::sort(swapped.begin() + middle, swapped.end());
        EXPECT_EQ(swapped, expected) << n << ' ' << percent;

        std::vector<std::uint64_t> kept(n);
        std::vector<std::uint64_t> others(n);
        const auto ends = sennit::parallel_partition_copy(in, kept, others.begin(), wanted, how);
        EXPECT_EQ(ends.first - kept.begin(), middle);
        EXPECT_TRUE(std::equal(kept.begin(), ends.first, expected.begin()));
        EXPECT_TRUE(std::equal(others.begin(), ends.second, expected.begin() + middle, expected.end()));
      }
    }
  });
}

// Catches elements that are lost when the predicate throws or the region ends, wherever strands are then.
TEST(partition, loses_nothing) {
  constexpr std::uint64_t n = 300;
  with_options([&](const sennit::loop_options& how) {
    for (const bool cancels : {false, true}) {
      for (const bool stable : {false, true}) {
        for (std::uint64_t at = 0; at < n; at += 13) {
          std::vector<std::unique_ptr<std::uint64_t>> x;
          for (std::uint64_t i = 0; i < n; ++i) x.push_back(std::make_unique<std::uint64_t>(i));
          sennit::region r;
          const auto is_odd = [&](std::uint64_t value) {
            if (value == at && cancels) r.cancel();
            if (value >= at && !cancels) throw failure{value};
            return value % 2 == 1;
          };
          const auto value_of = [](const auto& pointer) { return *pointer; };
          try {
            r.run([&] {
              if (stable) {
                sennit::parallel_stable_partition(x, is_odd, value_of, how);
              } else {
                sennit::parallel_partition(x, is_odd, value_of, how);
              }
            });
          } catch (const failure& thrown) {
            if (stable) {
              EXPECT_EQ(thrown.position, at);
            }
          }
          std::vector<std::uint64_t> left;
          for (const auto& pointer : x) {
            ASSERT_NE(pointer, nullptr) << at;
            left.push_back(*pointer);
          }
          std::ranges::sort(left);
          ASSERT_EQ(left, numbers(n));
        }
      }
    }
  });
}

// Catches blocks that no strand finishes, as each has found none for the other side.
TEST(partition, ends_where_others_hold_the_other_side) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    rt.run([] {
      for (std::uint64_t turn = 0; turn < 50; ++turn) {
        std::vector<std::uint64_t> x = numbers(200 + turn);
        std::vector<std::string> words;
        for (const std::uint64_t v : x) words.push_back("a word that is long, " + std::to_string(v));
        const auto late = [&](std::uint64_t v) {
          if (v % 50 == turn) std::this_thread::yield();
          return v % 3 != 0;
        };
        const auto middle = sennit::parallel_partition(x, late, sennit::grain(10));
        ASSERT_TRUE(std::is_partitioned(x.begin(), x.end(), [](std::uint64_t v) { return v % 3 != 0; }));
        ASSERT_EQ(x.end() - middle, static_cast<std::ptrdiff_t>((200 + turn + 2) / 3));
        const auto is_even = [](const std::string& word) { return (word.back() - '0') % 2 == 0; };
        const auto half = sennit::parallel_stable_partition(words, is_even, sennit::grain(7));
        ASSERT_TRUE(std::all_of(words.begin(), half, is_even));
        ASSERT_TRUE(std::none_of(half, words.end(), is_even));
      }
    });
  });
}

// Catches ranges that are left out, or copied to another offset, short and long ones.
TEST(flatten, is_the_serial_one) {
  struct undefaulted {
    explicit undefaulted(int given) : value(given) {}
    int value;
  };
  with_options([](const sennit::loop_options& how) {
    std::mt19937 random(7);
    std::vector<std::vector<int>> parts(300);
    for (auto& part : parts) {
      part.resize(random() % 10 == 0 ? random() % 10'000 : random() % 4);
      for (int& x : part) x = static_cast<int>(random());
    }
    std::vector<int> expected;
    for (const auto& part : parts) expected.insert(expected.end(), part.begin(), part.end());
    EXPECT_EQ(sennit::parallel_flatten(parts, how), expected);
    EXPECT_EQ(sennit::serial::parallel_flatten(parts), expected);
    std::deque<int> out(expected.size() + 1, -1);
    EXPECT_EQ(sennit::parallel_flatten(parts, out.begin(), how), out.end() - 1);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()));
    EXPECT_EQ(out.back(), -1);
    EXPECT_THROW(sennit::parallel_flatten(parts, std::span(expected).first(3), how), std::invalid_argument);

    const std::vector<std::list<std::string>> lists{{"a", "b"}, {}, {"c"}};
    EXPECT_EQ(sennit::parallel_flatten(lists, how), (std::vector<std::string>{"a", "b", "c"}));
    const std::vector<std::vector<undefaulted>> others{{undefaulted(1)}, {undefaulted(2)}};
    EXPECT_EQ(sennit::parallel_flatten(others, how).at(1).value, 2);
  });
}

// Catches overloads that take one kind of argument for another, and serial elisions that differ.
TEST(partition, takes_iterators_and_views) {
  const auto check = [](auto policy) {
    using P = decltype(policy);
    std::deque<std::pair<int, int>> x;
    for (int i = 0; i < 100; ++i) x.emplace_back(i, i % 4);
    std::vector<std::pair<int, int>> kept(25);
    std::vector<std::pair<int, int>> others(75);
    const auto is_zero = [](int v) { return v == 0; };
    P::parallel_partition_copy(x.begin(), 100, kept, others, is_zero, &std::pair<int, int>::second);
    EXPECT_EQ(kept.back().first, 96);
    EXPECT_EQ(others.back().first, 99);
    EXPECT_THROW(P::parallel_partition_copy(x, std::span(kept).first(24), others, is_zero,
                                            &std::pair<int, int>::second),
                 std::invalid_argument);
    EXPECT_EQ(P::parallel_stable_partition(x.begin(), x.end(), is_zero, &std::pair<int, int>::second) -
                  x.begin(),
              25);
    EXPECT_EQ(x[25].first, 1);
    EXPECT_EQ(P::parallel_partition(x.begin(), 100, is_zero, &std::pair<int, int>::second) - x.begin(), 25);
  };
  with_workers([&] { check(sennit::parallel()); });
  check(sennit::serial());
  std::vector<std::unique_ptr<int>> pointers;
  for (int i = 0; i < 200; ++i) pointers.push_back(std::make_unique<int>(i));
  const auto fails = [](const auto& pointer) {
    if (*pointer == 150) throw failure{150};
    return *pointer % 2 == 0;
  };
  EXPECT_THROW(sennit::serial::parallel_stable_partition(pointers, fails), failure);
  EXPECT_TRUE(std::ranges::all_of(pointers, [](const auto& pointer) { return pointer != nullptr; }));
}

}  // namespace
}  // namespace sennit_test
