// SPDX-License-Identifier: Apache-2.0
// parallel_for_each over all kinds of ranges, and with work that is found on the way.
#include "../loops/support.hpp"

#include <sennit/algorithm/for_each.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <forward_list>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <ranges>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

// Catches elements that are left out, or visited twice, where batches begin and end.
TEST(for_each, visits_each_element_once) {
  with_workers([] {
    for (const std::size_t n : sizes()) {
      std::list<int> numbers(n, 1);
      sennit::parallel_for_each(numbers, [](int& x) { ++x; });
      EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), std::size_t{0}), 2 * n);

      std::vector<int> vector(n, 1);
      sennit::parallel_for_each(vector.begin(), vector.end(), [](int& x) { ++x; });
      EXPECT_EQ(std::accumulate(vector.begin(), vector.end(), std::size_t{0}), 2 * n);

      std::map<int, int> map;
      for (std::size_t i = 0; i < n; ++i) map[static_cast<int>(i)] = 1;
      sennit::parallel_for_each(map, [](auto& x) { x.second += x.first; });
      for (const auto& [key, value] : map) ASSERT_EQ(value, key + 1);
    }
    // A stream is read once, by one strand.
    std::istringstream text("1 2 3 4 5 6 7 8 9 10");
    std::atomic<int> sum{0};
    sennit::parallel_for_each(std::views::istream<int>(text), [&](int x) { sum += x; });
    EXPECT_EQ(sum, 55);

    std::forward_list<std::unique_ptr<int>> owners;
    for (int i = 0; i < 100; ++i) owners.push_front(std::make_unique<int>(i));
    sennit::parallel_for_each(owners, [](const std::unique_ptr<int>& p) { *p *= 2; });
    EXPECT_EQ(*owners.front(), 198);
  });
}

// Catches batches that hold long elements together: then one worker would visit them all.
TEST(for_each, long_elements_are_shared) {
  sennit::runtime rt({.workers = 4});
  std::list<int> few(8);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  rt.run([&] {
    sennit::parallel_for_each(few, [&](int&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
  });
  EXPECT_GE(threads.size(), 3U);
}

// Catches work that is lost, and a chain of it that needs a stack as long as the chain.
TEST(for_each, visits_what_is_added) {
  with_workers([] {
    std::atomic<int> visited{0};
    const std::vector<int> roots{12, 3, 7};
    // A tree: n has children n - 1 and n - 2.
    sennit::parallel_for_each(roots, [&](int n, const sennit::feeder<int>& more) {
      ++visited;
      if (n > 1) {
        more.add(n - 1);
        more.add(n - 2);
      }
    });
    int expected = 0;
    sennit::serial::parallel_for_each(roots, [&](int n, const sennit::feeder<int>& more) {
      ++expected;
      if (n > 1) {
        more.add(n - 1);
        more.add(n - 2);
      }
    });
    EXPECT_EQ(visited, expected);

    std::atomic<int> length{0};
    const int chain = scaled(200'000);
    sennit::parallel_for_each(std::vector<int>{chain}, [&](int n, const sennit::feeder<int>& more) {
      ++length;
      if (n > 1) more.add(n - 1);
    });
    EXPECT_EQ(length, chain);

    // What cannot be copied.
    std::list<std::unique_ptr<int>> owners;
    owners.push_back(std::make_unique<int>(5));
    std::atomic<int> owned{0};
    sennit::parallel_for_each(
        owners, [&](const std::unique_ptr<int>& p, const sennit::feeder<std::unique_ptr<int>>& more) {
          owned += *p;
          if (*p > 0) more.add(std::make_unique<int>(*p - 1));
        });
    EXPECT_EQ(owned, 15);
  });
}

// Catches an exception that is not that of the first element, and one that is lost.
TEST(for_each, throws_what_the_first_element_threw) {
  with_workers([] {
    std::list<int> numbers(2000);
    std::iota(numbers.begin(), numbers.end(), 0);
    int thrown = -1;
    try {
      sennit::parallel_for_each(numbers, [](int x) {
        if (x % 300 == 299) throw x;
      });
    } catch (const int& x) {
      thrown = x;
    }
    EXPECT_EQ(thrown, 299);
    EXPECT_THROW(sennit::parallel_for_each(std::vector<int>{3},
                                           [](int n, const sennit::feeder<int>& more) {
                                             if (n == 0) throw std::string("end");
                                             more.add(n - 1);
                                           }),
                 std::string);
  });
}

// Numbers from 0 on. There is no way past the last one.
template <class Category>
struct numbers_to_an_abyss {
  using iterator_concept = Category;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  static constexpr int last = 299;

  int operator*() const { return at; }
  numbers_to_an_abyss& operator++() {
    if (at == last) throw std::string("walk");
    ++at;
    return *this;
  }
  numbers_to_an_abyss operator++(int) {
    return std::exchange(*this, numbers_to_an_abyss(*this).operator++());
  }
  bool operator==(const numbers_to_an_abyss&) const = default;

  int at = 0;
};

// Catches children that use what an exception of the walk has destroyed, elements before it that are dropped, and their
// exceptions that are lost.
TEST(for_each, ends_when_the_walk_throws) {
  const auto walk_along = []<class It>(It first) {
    It end;
    end.at = 1000;
    const auto thrown = [&](auto f) -> std::string {
      try {
        sennit::parallel_for_each(first, end, f);
      } catch (const std::string& of_walk) {
        return of_walk;
      } catch (int of_element) {
        return std::to_string(of_element);
      }
      return "";
    };
    std::atomic<int> visited{0};
    EXPECT_EQ(thrown([&](int) { ++visited; }), "walk");
    EXPECT_EQ(visited, It::last + 1);
    visited = 0;
    EXPECT_EQ(thrown([&](int x, const sennit::feeder<int>& more) {
                ++visited;
                if (x == 0) more.add(1000);
              }),
              "walk");
    EXPECT_EQ(visited, It::last + 2);
    EXPECT_EQ(thrown([](int x) {
                if (x >= 200) throw x;
              }),
              "200");
  };
  with_workers([&] {
    walk_along(numbers_to_an_abyss<std::input_iterator_tag>());
    walk_along(numbers_to_an_abyss<std::forward_iterator_tag>());
  });
}

}  // namespace
}  // namespace sennit_test
