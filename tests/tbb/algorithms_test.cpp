// SPDX-License-Identifier: Apache-2.0
// Programs written for oneTBB's other algorithms, which say nothing of Sennit.
#include <gtest/gtest.h>
#include <tbb/collaborative_call_once.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

// Catches parts of a scan that are left out, scanned twice, or begin with a wrong prefix, and a total that is that of another
// part. Strings tell the order, too.
TEST(tbb_algorithms, scans) {
  for (const std::size_t n : {0, 1, 2, 777, 5'000}) {
    std::vector<int> in(n);
    for (std::size_t i = 0; i != n; ++i) in[i] = static_cast<int>(i * i % 101);
    std::vector<long> out(n, -1);
    std::vector<long> expected(n);
    std::partial_sum(in.begin(), in.end(), expected.begin(), std::plus<long>());
    const auto scan = [&](const tbb::blocked_range<std::size_t>& r, long sum, bool final) {
      for (std::size_t i = r.begin(); i != r.end(); ++i) {
        sum += in[i];
        if (final) out[i] = sum;
      }
      return sum;
    };
    const tbb::blocked_range<std::size_t> all(0, n, 10);
    EXPECT_EQ(tbb::parallel_scan(all, 0L, scan, std::plus<long>()), n == 0 ? 0 : expected.back());
    EXPECT_EQ(out, expected);
    out.assign(n, -1);
    tbb::parallel_scan(all, 0L, scan, std::plus<long>(), tbb::simple_partitioner());
    EXPECT_EQ(out, expected);
    std::string letters(n, ' ');
    const std::string whole = tbb::parallel_scan(
        all, std::string(),
        [](const tbb::blocked_range<std::size_t>& r, std::string sum, bool) {
          for (std::size_t i = r.begin(); i != r.end(); ++i) sum += static_cast<char>('a' + i % 26);
          return sum;
        },
        std::plus<std::string>());
    for (std::size_t i = 0; i != n; ++i) letters[i] = static_cast<char>('a' + i % 26);
    EXPECT_EQ(whole, letters);
  }
}

// Catches items that are lost or done twice: of lists, of streams, and those that are fed on the way.
TEST(tbb_algorithms, for_each_over_sequences_of_all_kinds) {
  std::atomic<long> sum = 0;
  const auto add = [&](int x) { sum += x; };
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  tbb::parallel_for_each(numbers, add);
  const std::forward_list<int> list(numbers.begin(), numbers.end());
  tbb::parallel_for_each(list.begin(), list.end(), add);
  std::istringstream words("1 2 3 4 5 6 7 8 9 10");
  tbb::parallel_for_each(std::istream_iterator<int>(words), std::istream_iterator<int>(), add);
  EXPECT_EQ(sum, 2 * 499'500 + 55);

  std::atomic<int> nodes = 0;
  const std::vector<int> roots = {10, 10};
  tbb::parallel_for_each(roots, [&](int height, tbb::feeder<int>& more) {
    ++nodes;
    if (height == 0) return;
    more.add(height - 1);
    more.add(height - 1);
  });
  EXPECT_EQ(nodes, 2 * 2047);
}

struct kept_in_place {
  explicit kept_in_place(int given) : value(given) {}
  kept_in_place(const kept_in_place&) = delete;
  kept_in_place& operator=(const kept_in_place&) = delete;
  std::atomic<int> value;
};
// Values are made of what it refers to.
struct numbers_read {
  using iterator_category = std::input_iterator_tag;
  using value_type = kept_in_place;
  using difference_type = std::ptrdiff_t;
  using pointer = const int*;
  using reference = const int&;

  reference operator*() const { return at; }
  numbers_read& operator++() {
    ++at;
    return *this;
  }
  bool operator==(const numbers_read&) const = default;

  int at;
};
struct only_moved {
  explicit only_moved(int given) : value(std::make_unique<int>(given)) {}
  only_moved(only_moved&&) = default;
  only_moved& operator=(only_moved&&) = delete;
  std::unique_ptr<int> value;
};

// Catches: elements that have to be moved or copied, where oneTBB only refers to them, or makes them in place.
TEST(tbb_algorithms, for_each_moves_no_elements) {
  std::list<kept_in_place> list;
  std::deque<kept_in_place> deque;
  for (int i = 0; i != 500; ++i) {
    list.emplace_back(i);
    deque.emplace_back(i);
  }
  const auto negate = [](kept_in_place& x) { x.value = -x.value; };
  tbb::parallel_for_each(list, negate);
  tbb::parallel_for_each(deque.begin(), deque.end(), negate);
  for (int i = 0; const kept_in_place& x : list) {
    EXPECT_EQ(x.value, -i);
    EXPECT_EQ(deque[static_cast<std::size_t>(i)].value, -i);
    ++i;
  }
  std::atomic<int> sum = 0;
  tbb::parallel_for_each(numbers_read{0}, numbers_read{500}, [&](kept_in_place& x) { sum += x.value; });
  EXPECT_EQ(sum, 499 * 250);

  std::atomic<int> calls = 0;
  std::vector<only_moved> roots;
  roots.emplace_back(8);
  roots.emplace_back(8);
  tbb::parallel_for_each(roots, [&](const only_moved& x, tbb::feeder<only_moved>& more) {
    ++calls;
    for (int i = 0; *x.value > 0 && i != 2; ++i) more.add(only_moved(*x.value - 1));
  });
  EXPECT_EQ(calls, 2 * 511);
}

// Catches an item that runs within the call that adds it, one that is lost where many are added at a time or from parallel tasks,
// a chain of items that lie on top of one another on the stack, and items that go on after an exception.
TEST(tbb_algorithms, items_are_fed_from_everywhere) {
  static thread_local bool adding;
  std::atomic<int> calls = 0;
  std::atomic<int> within = 0;
  const std::vector<int> one = {100'000};
  tbb::parallel_for_each(one, [&](int left, tbb::feeder<int>& more) {
    ++calls;
    if (adding) ++within;
    if (left == 0) return;
    if (left == 1000) tbb::parallel_for(0, 1000, [&](int) { more.add(0); });
    adding = true;
    for (int i = left == 99'000 ? 0 : 4999; i != 5000; ++i) more.add(i == 4999 ? left - 1 : 0);
    adding = false;
  });
  EXPECT_EQ(calls, 100'001 + 1000 + 4999);
  EXPECT_EQ(within, 0);
  EXPECT_THROW(tbb::parallel_for_each(one,
                                      [&](int left, tbb::feeder<int>& more) {
                                        if (left < 50'000) throw std::runtime_error("an item");
                                        more.add(left - 1000);
                                        more.add(left - 2000);
                                      }),
               std::runtime_error);
}

// Catches branches that are left out, and an exception that is lost.
TEST(tbb_algorithms, invokes_and_sorts) {
  std::atomic<int> calls = 0;
  const auto call = [&] { ++calls; };
  tbb::task_group_context context;
  tbb::parallel_invoke(call, call, call);
  tbb::parallel_invoke(call, call, context);
  EXPECT_EQ(calls, 5);
  EXPECT_THROW(tbb::parallel_invoke(call, [] { throw std::runtime_error("a branch"); }), std::runtime_error);

  std::mt19937 random(1);
  std::vector<unsigned> numbers(100'000);
  for (unsigned& x : numbers) x = random();
  tbb::parallel_sort(numbers);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  tbb::parallel_sort(numbers.begin(), numbers.end(), std::greater<>());
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end(), std::greater<>()));
}

// Catches items that are lost, that leave an ordered filter in another order, or of which too many are alive.
TEST(tbb_algorithms, pipelines) {
  for (const std::size_t tokens : {std::size_t{1}, std::size_t{3}, std::size_t{500}}) {
    int next = 0;
    std::atomic<std::size_t> alive = 0;
    std::atomic<bool> too_many = false;
    std::vector<int> out;
    std::atomic<int> in_free_order = 0;
    tbb::parallel_pipeline(
        tokens,
        tbb::make_filter<void, std::unique_ptr<int>>(tbb::filter_mode::serial_in_order,
                                                     [&](tbb::flow_control& control) -> std::unique_ptr<int> {
                                                       if (next == 2000) {
                                                         control.stop();
                                                         return nullptr;
                                                       }
                                                       if (++alive > tokens) too_many = true;
                                                       return std::make_unique<int>(next++);
                                                     }) &
            tbb::make_filter<std::unique_ptr<int>, int>(tbb::filter_mode::parallel,
                                                        [](std::unique_ptr<int> x) { return *x * 2; }) &
            tbb::make_filter<int, int>(tbb::filter_mode::serial_out_of_order,
                                       [&](int x) {
                                         in_free_order.store(in_free_order.load() + 1);
                                         return x;
                                       }) &
            tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [&](int x) {
              --alive;
              out.push_back(x);
            }));
    ASSERT_EQ(out.size(), 2000u);
    for (int i = 0; i != 2000; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], 2 * i);
    EXPECT_EQ(in_free_order, 2000);
    EXPECT_FALSE(too_many);
  }
  std::atomic<int> source = 0;
  EXPECT_THROW(tbb::parallel_pipeline(8, tbb::make_filter<void, int>(tbb::filter_mode::parallel,
                                                                     [&](tbb::flow_control& control) {
                                                                       if (++source > 1000) control.stop();
                                                                       return source.load();
                                                                     }) &
                                             tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order,
                                                                         [](int x) {
                                                                           if (x > 100)
                                                                             throw std::runtime_error(
                                                                                 "an item");
                                                                         })),
               std::runtime_error);
}

// Catches a task that is not resumed, or resumed before it has been suspended; and a function that is called twice.
TEST(tbb_algorithms, suspension_and_calls_once) {
  std::atomic<int> resumed = 0;
  tbb::parallel_for(0, 20, [&](int) {
    std::thread other;
    tbb::task::suspend(
        [&](tbb::task::suspend_point here) { other = std::thread([=] { tbb::task::resume(here); }); });
    ++resumed;
    other.join();
  });
  EXPECT_EQ(resumed, 20);

  tbb::collaborative_once_flag once;
  int calls = 0;
  std::atomic<long> seen = 0;
  tbb::parallel_for(0, 100, [&](int) {
    tbb::collaborative_call_once(once, [&] {
      std::atomic<int> inside = 0;
      tbb::parallel_for(0, 100, [&](int) { ++inside; });
      calls += inside;
    });
    seen += calls;
  });
  EXPECT_EQ(seen, 100 * 100);
}

class counting_observer : public tbb::task_scheduler_observer {
 public:
  counting_observer() { observe(true); }
  ~counting_observer() override { observe(false); }
  void on_scheduler_entry(bool worker) override { ++(worker ? workers : others); }
  void on_scheduler_exit(bool worker) override { left += worker ? 0 : 1; }

  std::atomic<int> workers = 0;
  std::atomic<int> others = 0;
  std::atomic<int> left = 0;
};

// Catches an observer that is not told, or told twice of one stay.
TEST(tbb_algorithms, observers_are_told_of_threads) {
  counting_observer observer;
  for (int i = 0; i < 3; ++i) {
    tbb::parallel_for(0, 100, [](int) { std::this_thread::yield(); }, tbb::simple_partitioner());
    EXPECT_LE(observer.others, i + 1);
    EXPECT_EQ(observer.left, observer.others);
  }
  EXPECT_GE(observer.others + observer.workers, 1);
  EXPECT_LT(observer.workers, tbb::this_task_arena::max_concurrency());
}

// Catches: a pipeline whose only filter keeps its tokens, and ends without a word when all have been given out.
TEST(tbb_algorithms, pipeline_of_one_filter) {
  for (const auto mode : {tbb::filter_mode::serial_in_order, tbb::filter_mode::serial_out_of_order,
                          tbb::filter_mode::parallel}) {
    for (const std::size_t tokens : {1, 3}) {
      std::atomic<int> left{100};
      tbb::parallel_pipeline(tokens, tbb::make_filter<void, void>(mode, [&](tbb::flow_control& control) {
                               if (left.fetch_sub(1) <= 0) control.stop();
                             }));
      EXPECT_LT(left, 0);
    }
  }
}

}  // namespace
