// SPDX-License-Identifier: Apache-2.0
// parallel_sort and parallel_stable_sort against std::ranges::sort.
#include "support.hpp"

#include <sennit/detail/mix.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

// A key, and where it stood.
struct entry {
  int key;
  std::size_t place;
  friend bool operator==(const entry&, const entry&) = default;
};

std::vector<entry> keyed(std::size_t n, int pattern) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<entry> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    const int at = static_cast<int>(i);
    const int size = static_cast<int>(n);
    const int keys[] = {static_cast<int>(random() % 1'000'000),
                        at,
                        size - at,
                        static_cast<int>(random() % 3),
                        std::min(at, size - at),
                        0,
                        random() % 100 == 0 ? 0 : at};
    result[i] = {keys[pattern], i};
  }
  return result;
}
constexpr int patterns = 7;

// The order that a stable sort makes.
std::pair<int, std::size_t> key_and_place(const entry& e) { return {e.key, e.place}; }

// Catches elements that are lost, doubled, out of order or, where equal, not in the order that they had.
TEST(sort, is_the_serial_one) {
  with_workers([] {
    std::vector<std::size_t> lengths = sizes();
    lengths.insert(lengths.end(), {255, 256, 257, 1023, 1024, 1025, 5000, 70'000});
    for (const std::size_t n : lengths) {
      for (int pattern = 0; pattern < patterns; ++pattern) {
        const std::vector<entry> input = keyed(n, pattern);
        std::vector<entry> expected = input;
        std::ranges::sort(expected, {}, key_and_place);

        const auto by_key = [](const entry& a, const entry& b) { return a.key < b.key; };
        std::vector<entry> stable = input;
        sennit::parallel_stable_sort(stable, by_key);
        ASSERT_TRUE(stable == expected) << n << " elements, pattern " << pattern;

        std::vector<entry> any = input;
        sennit::parallel_sort(any, by_key);
        ASSERT_TRUE(std::ranges::equal(any, expected, {}, &entry::key, &entry::key)) << n << ", " << pattern;
        std::ranges::sort(any, {}, key_and_place);
        ASSERT_TRUE(any == expected) << n << " elements, pattern " << pattern;
      }
    }
  });
}

// Catches an order of equal elements that depends on workers or timing.
TEST(sort, gives_the_same_order_every_time) {
  const std::vector<entry> input = keyed(60'000, 3);
  std::optional<std::vector<entry>> first;
  with_workers([&] {
    for (int i = 0; i < 3; ++i) {
      std::vector<entry> sorted = input;
      sennit::parallel_sort(sorted, [](const entry& a, const entry& b) { return a.key < b.key; });
      if (!first) first = sorted;
      EXPECT_TRUE(sorted == *first);
    }
  });
}

// Catches iterators that are taken for pointers, and a sort without a region around it.
TEST(sort, takes_iterators_ranges_and_views) {
  std::vector<int> v{3, 1, 2};
  sennit::parallel_sort(v.begin(), v.end());
  EXPECT_EQ(v, (std::vector<int>{1, 2, 3}));
  sennit::parallel_sort(v, std::greater<>());
  EXPECT_EQ(v, (std::vector<int>{3, 2, 1}));
  sennit::parallel_stable_sort(v | std::views::reverse, std::greater<>());
  EXPECT_EQ(v, (std::vector<int>{1, 2, 3}));
  sennit::parallel_sort(std::span(v).first(2), {}, std::negate<>());
  EXPECT_EQ(v, (std::vector<int>{2, 1, 3}));
  int fixed[] = {2, 1};
  sennit::parallel_stable_sort(fixed);
  EXPECT_EQ(fixed[0], 1);
  sennit::parallel_sort(std::counted_iterator(v.begin(), 2), std::default_sentinel);
  EXPECT_EQ(v.front(), 1);

  std::deque<std::string> words;
  for (const entry& e : keyed(5000, 0)) words.push_back("a word that is allocated: " + std::to_string(e.key));
  std::deque<std::string> expected = words;
  std::sort(expected.begin(), expected.end());
  sennit::parallel_sort(words);
  EXPECT_TRUE(words == expected);
}

// Catches copies, and elements that are never ended.
TEST(sort, takes_elements_that_only_move) {
  with_workers([] {
    for (const std::size_t n : {std::size_t{10}, std::size_t{300}, std::size_t{10'000}}) {
      std::vector<std::unique_ptr<int>> pointers;
      std::vector<tracked> values;
      for (const entry& e : keyed(n, 0)) {
        pointers.push_back(std::make_unique<int>(e.key));
        values.emplace_back(static_cast<std::uint64_t>(e.key));
      }
      sennit::parallel_sort(pointers, {}, [](const auto& p) { return *p; });
      EXPECT_TRUE(std::ranges::is_sorted(pointers, {}, [](const auto& p) { return *p; }));
      sennit::parallel_stable_sort(values, {}, &tracked::value);
      EXPECT_TRUE(std::ranges::is_sorted(values, {}, &tracked::value));
      EXPECT_EQ(tracked::live(), static_cast<std::int64_t>(n));
    }
  });
}

template <class T>
T element_of(int key) {
  if constexpr (std::is_same_v<T, std::unique_ptr<int>>) {
    return std::make_unique<int>(key);
  } else {
    return T(key);
  }
}
template <class T>
int key_of(const T& element) {
  if constexpr (std::is_same_v<T, std::unique_ptr<int>>) {
    return element == nullptr ? -1 : *element;
  } else {
    return element;
  }
}

// Sorts with disturb() called at the given comparison; afterwards all elements have to be there.
template <class T, class Sort, class Disturb>
bool sort_disturbed(std::size_t n, int at, Sort&& sort, Disturb&& disturb) {
  std::vector<T> elements;
  for (std::size_t i = 0; i < n; ++i) elements.push_back(element_of<T>(static_cast<int>(i * 7919 % n)));
  std::atomic<int> comparisons{0};
  bool disturbed = false;
  try {
    sort(elements, [&](const T& a, const T& b) {
      if (comparisons.fetch_add(1, std::memory_order_relaxed) == at) disturb();
      return key_of(a) < key_of(b);
    });
  } catch (const failure&) {
    disturbed = true;
  } catch (const sennit::cancelled&) {
    disturbed = true;
  }
  std::vector<int> keys;
  for (const T& element : elements) keys.push_back(key_of(element));
  EXPECT_TRUE(disturbed || std::ranges::is_sorted(keys));
  std::ranges::sort(keys);
  for (std::size_t i = 0; i < n; ++i) {
    if (keys[i] != static_cast<int>(i)) {
      ADD_FAILURE() << "element " << i << " of " << n << " is lost, disturbed at comparison " << at;
      break;
    }
  }
  return disturbed;
}

constexpr auto plain_sort = [](auto& elements, auto&& comp) { sennit::parallel_sort(elements, comp); };
constexpr auto stable_sort = [](auto& elements, auto&& comp) {
  sennit::parallel_stable_sort(elements, comp);
};

// At each comparison of a small sort, and at more and more distant ones of a large sort.
template <class T, class Disturb>
void disturb_everywhere(Disturb&& disturb) {
  for (int at = 0; sort_disturbed<T>(100, at, plain_sort, disturb); ++at) {
    ASSERT_LT(at, 10'000);
  }
  for (int at = 0; sort_disturbed<T>(100, at, stable_sort, disturb); ++at) {
    ASSERT_LT(at, 10'000);
  }
  const int step = SENNIT_TSAN || SENNIT_ASAN ? 9001 : 1501;
  for (int at = 0; sort_disturbed<T>(5000, at, plain_sort, disturb); at += step) {
    ASSERT_LT(at, 1'000'000);
  }
  for (int at = 0; sort_disturbed<T>(5000, at, stable_sort, disturb); at += step) {
    ASSERT_LT(at, 1'000'000);
  }
}

// Catches an element that a method holds aside while it compares, or that is left in the buffer.
TEST(sort, keeps_all_elements_when_a_comparison_throws) {
  with_workers([] {
    const auto disturb = [] { throw failure{0}; };
    disturb_everywhere<int>(disturb);
    disturb_everywhere<std::unique_ptr<int>>(disturb);
  });
}

// Catches a branch that was dropped, with its elements where nobody looks for them.
TEST(sort, keeps_all_elements_when_its_region_is_cancelled) {
  with_workers([] {
    for (const auto& sort_some : {+[](std::size_t n, int at, sennit::region& r) {
                                    return sort_disturbed<int>(n, at, plain_sort, [&] { r.cancel(); });
                                  },
                                  +[](std::size_t n, int at, sennit::region& r) {
                                    return sort_disturbed<std::unique_ptr<int>>(n, at, stable_sort,
                                                                                [&] { r.cancel(); });
                                  }}) {
      for (const int at : {0, 100, 2500, 10'000, 20'000, 40'000, 50'000}) {
        sennit::region r;
        r.run([&] { sort_some(5000, at, r); });
      }
    }
  });
}

// Catches a user's exception that is hidden by the cancellation that it comes with.
TEST(sort, prefers_an_exception_to_a_cancellation) {
  with_workers([] {
    sennit::region r;
    std::vector<int> v(5000);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>(i * 7919 % v.size());
    std::atomic<int> comparisons{0};
    EXPECT_THROW(r.run([&] {
      sennit::parallel_sort(v, [&](int a, int b) {
        if (comparisons.fetch_add(1) == 3000) {
          r.cancel();
          throw failure{0};
        }
        return a < b;
      });
    }),
                 failure);
  });
}

// Catches a default order that asks for more than std::sort does.
TEST(sort, takes_elements_that_have_only_a_less) {
  struct version {
    int number;
    bool operator<(const version& other) const { return number < other.number; }
  };
  std::vector<version> versions{{3}, {1}, {2}};
  sennit::parallel_sort(versions);
  EXPECT_EQ(versions[0].number, 1);
  EXPECT_EQ(versions[2].number, 3);
  sennit::parallel_sort(versions.begin(), 3, std::greater<>(), &version::number);
  EXPECT_EQ(versions[0].number, 3);
}

// Catches parts of a sort that have no second strand although each comparison takes a millisecond.
TEST(sort, shares_few_elements_whose_comparisons_take_long) {
  constexpr int n = 60;
  sennit::runtime rt(sennit::runtime_options{.workers = 4});
  std::vector<int> elements(n);
  for (int i = 0; i < n; ++i) elements[static_cast<std::size_t>(i)] = i * 7919 % n;
  std::mutex mutex;
  std::map<std::thread::id, int> comparisons;
  rt.run([&] {
    sennit::parallel_sort(elements, [&](int a, int b) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const std::scoped_lock lock(mutex);
      ++comparisons[std::this_thread::get_id()];
      return a < b;
    });
  });
  EXPECT_TRUE(std::ranges::is_sorted(elements));
  int all = 0;
  int most = 0;
  for (const auto& [thread, count] : comparisons) {
    all += count;
    most = std::max(most, count);
  }
  EXPECT_LT(most, all * 2 / 3);
}

// Texts of several shapes: their bytes of 0 and above 127, what they begin with, how long they are and how many are equal.
std::vector<std::string> texts(std::size_t n, int shape) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<std::string> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::string& text = result[i];
    switch (shape) {
      case 0: text = std::to_string(random()); break;
      case 1: text = "all of these texts begin with " + std::to_string(random() % n); break;
      case 2: text.assign(random() % 20, '\0'); break;
      case 3: text.assign(i * 7919 % n % 4000, 'x'); break;
      case 4:
        text = std::string(30, 'a') + static_cast<char>(random()) + std::string(random() % 9, 'b');
        break;
      case 5: text = i < 2 ? "x" : "the same again and again"; break;
      default:
        for (std::size_t k = random() % 40; k != 0; --k)
          text += static_cast<char>(random() % 2 == 0 ? 0x7f : 0x80);
        break;
    }
  }
  return result;
}
constexpr int text_shapes = 7;

// Catches texts whose first bytes are compared as signed numbers, or without their lengths; equal texts in another order than
// they had; a view of a text that a projection has made; and levels of a sort that are nested as deeply as texts are long.
TEST(sort, orders_texts_by_their_bytes) {
  struct named {
    std::string name;
    std::size_t place;
  };
  with_workers([] {
    for (const std::size_t n : {std::size_t{64}, std::size_t{65}, std::size_t{3000}, std::size_t{40'000}}) {
      for (int shape = 0; shape < text_shapes; ++shape) {
        if (shape == 3 && n > 3000) continue;
        const std::vector<std::string> input = texts(n, shape);
        std::vector<std::string> expected = input;
        std::ranges::stable_sort(expected);
        std::vector<std::string> sorted = input;
        sennit::parallel_sort(sorted);
        ASSERT_TRUE(sorted == expected) << n << " texts of shape " << shape;

        std::vector<named> elements;
        for (const std::string& text : input) elements.push_back({text, elements.size()});
        std::vector<std::size_t> places(n);
        std::iota(places.begin(), places.end(), std::size_t{0});
        std::ranges::stable_sort(places, {}, [&](std::size_t i) -> const std::string& { return input[i]; });
        sennit::parallel_stable_sort(elements, std::less<>(),
                                     [](const named& e) { return std::string(e.name); });
        ASSERT_TRUE(std::ranges::equal(elements, places, {}, &named::place)) << n << ", shape " << shape;
      }
    }
  });
}

// Catches texts that are lost where the projection to them throws.
TEST(sort, keeps_all_texts_when_their_projection_throws) {
  with_workers([] {
    const std::vector<std::string> input = texts(3000, 1);
    for (const int at : {0, 1, 100, 3000, 5000, 9000, 20'000}) {
      std::vector<std::string> elements = input;
      std::atomic<int> calls{0};
      try {
        sennit::parallel_sort(elements, {}, [&](const std::string& text) -> std::string_view {
          if (calls.fetch_add(1, std::memory_order_relaxed) == at) throw failure{0};
          return text;
        });
      } catch (const failure&) {
        EXPECT_TRUE(elements == input);
      }
      std::vector<std::string> expected = input;
      std::ranges::sort(expected);
      std::ranges::sort(elements);
      EXPECT_TRUE(elements == expected) << "thrown at call " << at;
    }
  });
}

// Catches elements that are there twice, and others that are lost, where a comparison is no order: a merge from both ends
// meets in the middle only if it is one.
TEST(sort, keeps_all_elements_whatever_a_comparison_answers) {
  with_workers([] {
    std::vector<int> elements(5000);
    for (std::uint64_t seed = 1; seed != 20; ++seed) {
      std::iota(elements.begin(), elements.end(), 0);
      std::atomic<std::uint64_t> state{seed};
      sennit::parallel_stable_sort(elements, [&](int, int) {
        return sennit::detail::mix(state.fetch_add(1, std::memory_order_relaxed)) % 2 != 0;
      });
      std::ranges::sort(elements);
      for (int i = 0; i != 5000; ++i) ASSERT_EQ(elements[static_cast<std::size_t>(i)], i);
    }
  });
}

}  // namespace
}  // namespace sennit_test
