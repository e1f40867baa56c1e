// SPDX-License-Identifier: Apache-2.0
// Programs written for std::execution::par, which say nothing of Sennit.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <execution>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

std::vector<int> random_numbers(std::size_t n, int below, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> numbers(0, below - 1);
  std::vector<int> result(n);
  for (int& x : result) x = numbers(random);
  return result;
}

constexpr std::size_t sizes[] = {0, 1, 2, 3, 100, 10'000, 300'000};

// Catches a header of libstdc++ that has chosen another back end: the loop would run on threads that are not Sennit's, or on
// the calling one alone.
TEST(std_execution, runs_on_the_workers) {
  const char* const workers = std::getenv("SENNIT_WORKERS");
  ASSERT_NE(workers, nullptr);
  std::vector<int> elements(64);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::for_each(std::execution::par, elements.begin(), elements.end(), [&](int&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads.size() > 1, std::string(workers) != "1");
}

// Catches parts of a sequence that are left out, visited twice or combined in another order.
TEST(std_execution, reduces_and_scans) {
  for (const std::size_t n : sizes) {
    const std::vector<int> in = random_numbers(n, 100);
    const std::vector<double> fractions(in.begin(), in.end());
    EXPECT_EQ(std::reduce(std::execution::par, in.begin(), in.end(), 5L),
              std::accumulate(in.begin(), in.end(), 5L));
    EXPECT_EQ(std::transform_reduce(std::execution::par_unseq, in.begin(), in.end(), in.begin(), 0L),
              std::inner_product(in.begin(), in.end(), in.begin(), 0L));

    std::vector<long> sums(n);
    std::vector<long> expected(n);
    std::inclusive_scan(in.begin(), in.end(), expected.begin(), std::plus<>(), 0L);
    std::inclusive_scan(std::execution::par, in.begin(), in.end(), sums.begin(), std::plus<>(), 0L);
    EXPECT_EQ(sums, expected);
    std::transform_exclusive_scan(in.begin(), in.end(), expected.begin(), 7L, std::plus<>(), std::negate<>());
    std::transform_exclusive_scan(std::execution::par, in.begin(), in.end(), sums.begin(), 7L, std::plus<>(),
                                  std::negate<>());
    EXPECT_EQ(sums, expected);
    std::vector<double> scanned(n);
    std::inclusive_scan(std::execution::par, fractions.begin(), fractions.end(), scanned.begin());
    std::partial_sum(in.begin(), in.end(), expected.begin());
    EXPECT_TRUE(
        std::equal(scanned.begin(), scanned.end(), in.begin(), in.end(),
                   [sum = 0L](double have, int x) mutable { return have == static_cast<double>(sum += x); }));

    // Text is put together in its order only.
    std::vector<std::string> letters(std::min<std::size_t>(n, 1000));
    for (std::size_t i = 0; i < letters.size(); ++i) letters[i] = static_cast<char>('a' + i % 26);
    EXPECT_EQ(std::reduce(std::execution::par, letters.begin(), letters.end(), std::string()),
              std::accumulate(letters.begin(), letters.end(), std::string()));
  }
}

// Catches elements that are lost or out of order, and equal ones that change places.
TEST(std_execution, sorts_and_merges) {
  for (const std::size_t n : sizes) {
    const std::vector<int> in = random_numbers(n, 1000);
    std::vector<int> sorted = in;
    std::sort(sorted.begin(), sorted.end());
    std::vector<int> x = in;
    std::sort(std::execution::par, x.begin(), x.end());
    EXPECT_EQ(x, sorted);

    std::vector<std::pair<int, std::size_t>> pairs(n);
    for (std::size_t i = 0; i < n; ++i) pairs[i] = {in[i], i};
    std::stable_sort(std::execution::par, pairs.begin(), pairs.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end()));

    for (const std::size_t least : {std::size_t{0}, n / 10, n / 2, n - n / 10, n}) {
      x = in;
      const auto middle = x.begin() + static_cast<std::ptrdiff_t>(least);
      std::partial_sort(std::execution::par, x.begin(), middle, x.end());
      EXPECT_TRUE(std::equal(x.begin(), middle, sorted.begin())) << least << " of " << n;
      std::sort(middle, x.end());
      EXPECT_EQ(x, sorted);
      std::vector<int> copy(least);
      std::partial_sort_copy(std::execution::par, in.begin(), in.end(), copy.begin(), copy.end());
      EXPECT_TRUE(std::equal(copy.begin(), copy.end(), sorted.begin())) << least << " of " << n;
    }

    std::vector<std::pair<int, int>> left;
    std::vector<std::pair<int, int>> right;
    for (std::size_t i = 0; i < n; ++i)
      (i % 3 == 0 ? left : right).emplace_back(sorted[i] / 2, i % 3 == 0 ? 0 : 1);
    std::vector<std::pair<int, int>> merged(n);
    std::merge(std::execution::par, left.begin(), left.end(), right.begin(), right.end(), merged.begin(),
               [](const auto& a, const auto& b) { return a.first < b.first; });
    EXPECT_TRUE(std::is_sorted(merged.begin(), merged.end()));
  }
}

// An iterator of C++17 over two sequences at once, which C++20 does not take for one.
struct both {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::pair<int, std::size_t>;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  struct reference : std::pair<int&, std::size_t&> {
    using pair::pair;
    using pair::operator=;
    friend void swap(reference a, reference b) {
      std::swap(a.first, b.first);
      std::swap(a.second, b.second);
    }
  };

  reference operator*() const { return {*key, *place}; }
  reference operator[](difference_type n) const { return *(*this + n); }
  both& operator+=(difference_type n) {
    key += n;
    place += n;
    return *this;
  }
  both& operator-=(difference_type n) { return *this += -n; }
  both& operator++() { return *this += 1; }
  both& operator--() { return *this -= 1; }
  both operator++(int) { return std::exchange(*this, *this + 1); }
  both operator--(int) { return std::exchange(*this, *this - 1); }
  friend both operator+(both x, difference_type n) { return x += n; }
  friend both operator-(both x, difference_type n) { return x -= n; }
  friend difference_type operator-(both x, both y) { return x.key - y.key; }
  friend auto operator<=>(both, both) = default;

  int* key;
  std::size_t* place;
};

// Catches sorts of sequences that refer by objects, which do not compile, or after which an element is lost.
TEST(std_execution, sorts_two_sequences_at_once) {
  for (const std::size_t n : sizes) {
    const std::vector<int> in = random_numbers(n, 1000);
    std::vector<int> keys = in;
    std::vector<std::size_t> places(n);
    std::iota(places.begin(), places.end(), std::size_t{0});
    const both first{keys.data(), places.data()};
    std::stable_sort(std::execution::par, first, first + static_cast<std::ptrdiff_t>(n),
                     [](const both::value_type& a, const both::value_type& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(keys[i], in[places[i]]);
      ASSERT_TRUE(i == 0 || keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && places[i - 1] < places[i]));
    }
  }
}

// Catches a match that is not the first, and elements that change their order where they are packed.
TEST(std_execution, finds_and_packs) {
  for (const std::size_t n : sizes) {
    const std::vector<int> in = random_numbers(n, 1000, 3);
    for (const int wanted : {0, 17, 999, 1000}) {
      EXPECT_EQ(std::find(std::execution::par, in.begin(), in.end(), wanted),
                std::find(in.begin(), in.end(), wanted));
      EXPECT_EQ(std::any_of(std::execution::par, in.begin(), in.end(), [=](int x) { return x == wanted; }),
                std::find(in.begin(), in.end(), wanted) != in.end());
    }
    const auto odd = [](int x) { return x % 2 != 0; };
    std::vector<int> expected;
    std::copy_if(in.begin(), in.end(), std::back_inserter(expected), odd);
    std::vector<int> out(n);
    out.erase(std::copy_if(std::execution::par, in.begin(), in.end(), out.begin(), odd), out.end());
    EXPECT_EQ(out, expected);
    out = in;
    out.erase(std::remove_if(std::execution::par, out.begin(), out.end(), std::not_fn(odd)), out.end());
    EXPECT_EQ(out, expected);
    out = in;
    const auto middle = std::stable_partition(std::execution::par, out.begin(), out.end(), odd);
    EXPECT_TRUE(std::equal(out.begin(), middle, expected.begin(), expected.end()));
  }
}

// Catches parts that are combined from left to right, where a combination moves or copies all that is on its left.
TEST(std_execution, combines_in_halves) {
  static std::atomic<std::size_t> moves{0};
  struct element {
    explicit element(int x) : value(x) {}
    element(element&& from) noexcept : value(from.value) { moves.fetch_add(1, std::memory_order_relaxed); }
    element& operator=(element&& from) noexcept {
      value = from.value;
      moves.fetch_add(1, std::memory_order_relaxed);
      return *this;
    }
    int value;
  };
  constexpr std::size_t n = 200'000;
  std::vector<element> all;
  all.reserve(n);
  for (const int x : random_numbers(n, 1000)) all.emplace_back(x);
  std::stable_partition(std::execution::par, all.begin(), all.end(),
                        [](const element& e) { return e.value % 2 != 0; });
  EXPECT_LT(moves, 40 * n);

  static std::atomic<std::size_t> letters{0};
  struct text {
    text() = default;
    explicit text(char c) : value(1, c) {}
    text(text&&) = default;
    text& operator=(text&&) = default;
    text(const text& from) : value(from.value) { letters.fetch_add(value.size(), std::memory_order_relaxed); }
    text& operator=(const text& from) = delete;
    std::string value;
  };
  const std::vector<char> in(n, 'a');
  const text whole = std::transform_reduce(
      std::execution::par, in.begin(), in.end(), in.begin(), text(),
      [](text left, const text& right) {
        left.value += right.value;
        return left;
      },
      [](char c, char) { return text(c); });
  EXPECT_EQ(whole.value.size(), n);
  EXPECT_LT(letters, 40 * n);
}

// Catches an algorithm that wants iterators with random access, or elements that are copied.
TEST(std_execution, takes_lists_and_owners) {
  std::list<int> numbers{3, 1, 2};
  std::for_each(std::execution::par, numbers.begin(), numbers.end(), [](int& x) { x *= 2; });
  EXPECT_EQ(numbers, (std::list<int>{6, 2, 4}));

  std::vector<std::unique_ptr<int>> owners(10'000);
  for (std::size_t i = 0; i < owners.size(); ++i)
    owners[i] = std::make_unique<int>(static_cast<int>(i * 7919 % 10'007));
  std::sort(std::execution::par, owners.begin(), owners.end(),
            [](const auto& a, const auto& b) { return *a < *b; });
  EXPECT_TRUE(
      std::is_sorted(owners.begin(), owners.end(), [](const auto& a, const auto& b) { return *a < *b; }));
}

// Catches a parallel algorithm within another that waits for its own worker.
TEST(std_execution, nests) {
  std::vector<std::vector<int>> rows(50);
  std::for_each(std::execution::par, rows.begin(), rows.end(), [&](std::vector<int>& row) {
    row = random_numbers(2000, 500, static_cast<unsigned>(&row - rows.data()));
    std::sort(std::execution::par, row.begin(), row.end());
  });
  EXPECT_TRUE(std::all_of(std::execution::par, rows.begin(), rows.end(), [](const std::vector<int>& row) {
    return std::is_sorted(row.begin(), row.end());
  }));
}

}  // namespace
