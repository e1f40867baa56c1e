// SPDX-License-Identifier: Apache-2.0
// parallel_for and what lies under it: each iteration once, whatever runs it, and in the order of the
// iterations where a value is made.
#include "support.hpp"

#include <sennit/parallel_for.hpp>
#include <sennit/sennit.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

void spin(unsigned turns) {
  for (unsigned i = 0; i < turns; ++i) asm volatile("");
}

class loops : public testing::TestWithParam<std::tuple<unsigned, sennit::steal_barrier>> {
 protected:
  sennit::runtime runtime_{{.workers = std::get<0>(GetParam()), .barrier = std::get<1>(GetParam())}};
};

// Catches an iteration of a nest that is left out, or run by two; and an exception that is not the lowest.
TEST_P(loops, run_each_iteration_once) {
  std::mt19937 random(std::get<0>(GetParam()));
  const auto below = [&random](unsigned bound) { return random() % bound; };
  for (int round = 0; round < 60; ++round) {
    const unsigned outer = below(150);
    const unsigned inner = below(40) + 1;
    const unsigned pause = below(200);
    const unsigned inner_pause = below(40);
    const sennit::loop_options how = sennit::grain(below(4));
    const unsigned throws = below(3) == 0 ? below(outer + 1) : outer;
    std::vector<std::atomic<int>> seen(std::size_t{outer} * inner);
    unsigned thrown = outer;
    try {
      runtime_.run([&] {
        sennit::parallel_for(0U, outer, [&](unsigned i) {
          if (i >= throws) throw i;
          spin(pause);
          if (i % 7 == 0) sennit::join([&] { spin(pause); }, [&] { spin(pause); });
          sennit::parallel_for(
              0U, inner,
              [&](unsigned j) {
                spin(inner_pause);
                ++seen[std::size_t{i} * inner + j];
              },
              how);
        });
      });
    } catch (unsigned i) {
      thrown = i;
    }
    ASSERT_EQ(thrown, throws);
    for (std::size_t k = 0; k < seen.size(); ++k) {
      ASSERT_EQ(seen[k], k < std::size_t{throws} * inner ? 1 : 0) << "inner iteration " << k;
    }
  }
}

// Catches values that are merged in another order than that of the iterations, or not at all.
TEST_P(loops, fold_in_order) {
  for (const unsigned n : {0U, 1U, 2U, 100U, 3000U}) {
    for (const std::uint64_t grain : {0U, 1U, 3U}) {
      const std::vector<unsigned> order = runtime_.run([&] {
        return sennit_test::fold_positions(
            n, [] { return std::vector<unsigned>(); },
            [](std::vector<unsigned>& part, sennit::detail::position from, sennit::detail::position to) {
              for (; from < to; ++from) {
                spin(30);
                part.push_back(static_cast<unsigned>(from));
              }
            },
            [](std::vector<unsigned>& left, std::vector<unsigned>&& right) {
              left.insert(left.end(), right.begin(), right.end());
            },
            sennit::grain(grain));
      });
      ASSERT_EQ(order.size(), n);
      for (unsigned i = 0; i < n; ++i) ASSERT_EQ(order[i], i);
    }
  }
}

// Catches a loop whose rest is taken back on top of the stack of what was taken back before.
TEST_P(loops, part_with_their_rest_at_each_iteration) {
  std::atomic<long> children = 0;
  runtime_.run([&] {
    sennit::parallel_for(0, 20000, [&](int) {
      sennit::task_group below;
      sennit::task_group above;
      below.spawn([&] { spin(500), ++children; });
      above.spawn([&] { ++children; });
    });
  });
  EXPECT_EQ(children, 40000);
}

// Catches a loop that goes on in a cancelled region, or a region that does not end.
TEST_P(loops, end_in_a_cancelled_region) {
  sennit::region region;
  std::atomic<long> ran = 0;
  const bool completed = runtime_.run([&] {
    return region.run([&] {
      sennit::parallel_for(0, 100'000'000, [&](int) {
        spin(100);
        if (++ran == 1000) region.cancel();
      });
    });
  });
  EXPECT_FALSE(completed);
  EXPECT_LT(ran, 90'000'000);
}

// A tree whose nodes are loops over their children: most are leaves and over at once, some are most of the
// program.
long leaves_below(unsigned depth, unsigned seed) {
  if (depth == 0) return 1;
  return sennit::parallel_reduce(0U, 6U, 0L, [=](unsigned i) {
    const unsigned child = (seed * 31 + i) * 2654435761U >> 7;
    spin(20);
    return child % 3 == 0 ? 0L : leaves_below(depth - 1, child);
  });
}

// Catches a tree of loops that is shared by nobody: most of its loops are brief, and only what is within
// tells the others.
TEST_P(loops, share_a_tree_of_brief_ones) {
  const auto expected = [](auto self, unsigned depth, unsigned seed) -> long {
    if (depth == 0) return 1;
    long sum = 0;
    for (unsigned i = 0; i < 6; ++i) {
      const unsigned child = (seed * 31 + i) * 2654435761U >> 7;
      if (child % 3 != 0) sum += self(self, depth - 1, child);
    }
    return sum;
  };
  const long leaves = expected(expected, 8, 1);
  // Until it is known that the loops are brief, and that there are loops within.
  sennit::runtime alone({.workers = 1});
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(alone.run([] { return leaves_below(8, 1); }), leaves);
  }
  // As often as it takes: on a busy machine the other workers may not run for a while.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(45);
  const std::uint64_t before = runtime_.statistics().steals;
  do {
    ASSERT_EQ(runtime_.run([] { return leaves_below(8, 1); }), leaves);
  } while (std::get<0>(GetParam()) > 1 && runtime_.statistics().steals < before + 3 &&
           std::chrono::steady_clock::now() < end);
  if (std::get<0>(GetParam()) > 1) {
    EXPECT_GE(runtime_.statistics().steals, before + 3);
  }
}

// Catches parts that go to another worker in each phase, away from their data, or begin elsewhere.
TEST(dealing, gives_each_worker_the_same_part_in_each_phase) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "nobody waits for work on one CPU";
  sennit::runtime runtime({.workers = 2});
  constexpr std::size_t n = 1000;
  unsigned alike = 0;
  unsigned phases = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(45);
  runtime.run([&] {
    std::size_t before = 0;
    std::vector<unsigned> who(n);
    for (; alike < 50 && std::chrono::steady_clock::now() < end; ++phases) {
      sennit::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
        spin(100);
        who[i] = sennit::worker_index();
      });
      const auto other = std::find_if(who.begin(), who.end(), [&](unsigned w) { return w != who.front(); });
      const auto border = static_cast<std::size_t>(other - who.begin());
      const bool two_parts =
          other != who.end() && std::all_of(other, who.end(), [&](unsigned w) { return w == *other; });
      if (two_parts && border == before) ++alike;
      before = border;
    }
  });
  EXPECT_EQ(alike, 50U) << "of " << phases << " phases";
}

// Catches a loop that is dealt out by halves, which make no thirds, and parts in another order than that of
// their workers. Phases do not count in which somebody does not wait yet, or leaves his part to another one.
TEST(dealing, gives_equal_parts_in_the_order_of_workers) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "nobody waits for work on one CPU";
  using sennit::detail::position;
  struct part {
    position first;
    unsigned worker;
  };
  constexpr unsigned workers = 3;
  constexpr position n = 300'000;
  sennit::runtime runtime({.workers = workers});
  unsigned thirds = 0;
  unsigned in_order = 0;
  unsigned phases = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(45);
  runtime.run([&] {
    for (; thirds < 10 && std::chrono::steady_clock::now() < end; ++phases) {
      const std::vector<part> parts = sennit_test::fold_positions(
          n, [] { return std::vector<part>(); },
          [](std::vector<part>& begun, position from, position to) {
            if (begun.empty()) begun.push_back({from, sennit::worker_index()});
            for (; from < to; ++from) spin(100);
          },
          [](std::vector<part>& left, std::vector<part>&& right) {
            left.insert(left.end(), right.begin(), right.end());
          },
          sennit::loop_options());
      const auto begun_at = [&](position first) {
        return std::find_if(parts.begin(), parts.end(), [=](const part& p) { return p.first == first; });
      };
      // The first part is larger by a lead of an eighth at most.
      const auto last = std::find_if(parts.begin(), parts.end(), [&](const part& p) {
        const position size = n - p.first;
        return size <= n / workers && size >= n / workers / 8 * 7 && begun_at(n - 2 * size) != parts.end();
      });
      if (last == parts.end()) continue;
      const unsigned first_worker = parts.front().worker;
      const unsigned middle_worker = begun_at(n - 2 * (n - last->first))->worker;
      if (middle_worker == first_worker || last->worker == first_worker || last->worker == middle_worker)
        continue;
      ++thirds;
      if (middle_worker == (first_worker + 1) % workers) ++in_order;
    }
  });
  EXPECT_EQ(thirds, 10U) << "of " << phases << " phases";
  EXPECT_GT(in_order, 5U);
}

// Catches a split that is passed over, or is for other workers than the schedule it is from.
TEST(dealing, follows_a_split) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "nobody waits for work on one CPU";
  constexpr unsigned workers = 3;
  constexpr std::uint64_t n = 3000;
  const sennit::split by{5, 1, 4};
  sennit::runtime runtime({.workers = workers});
  unsigned as_split = 0;
  unsigned in_order = 0;
  unsigned phases = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(45);
  runtime.run([&] {
    std::vector<unsigned> chunk_by(n);
    for (; as_split < 10 && std::chrono::steady_clock::now() < end; ++phases) {
      std::fill(chunk_by.begin(), chunk_by.end(), workers);
      const unsigned self = sennit::worker_index();
      sennit::parallel_for(
          std::uint64_t{0}, n,
          [&](std::uint64_t from, std::uint64_t to) {
            chunk_by[from] = sennit::worker_index();
            for (; from < to; ++from) spin(5000);
          },
          by);
      const unsigned second = chunk_by[by.begin_of(1, n)];
      const unsigned third = chunk_by[by.begin_of(2, n)];
      if (second == workers || third == workers || second == self || third == self || second == third)
        continue;
      ++as_split;
      in_order += second == (self + 1) % workers;
    }
  });
  EXPECT_EQ(as_split, 10U) << "of " << phases << " phases";
  EXPECT_GT(in_order, 5U);
}

// Catches an iteration that is left out, run twice, or lost where nobody is to have any.
TEST_P(loops, with_a_split_run_each_iteration_once) {
  const std::vector<sennit::split> splits{
      {1}, {0, 1}, {1, 0, 0, 3}, {0, 0, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, {1e-300, 1}};
  for (int round = 0; round < 20; ++round) {
    for (const sennit::split& by : splits) {
      for (const std::size_t n : {0U, 1U, 2U, 3U, 50U, 700U}) {
        std::vector<std::atomic<int>> seen(n);
        const auto count = [&](std::atomic<int>& each) {
          spin(200);
          ++each;
        };
        runtime_.run([&] { sennit::parallel_for(seen, count, by); });
        sennit::parallel_for(seen.begin(), seen.end(), count, by);
        sennit::serial::parallel_for(seen, count, by);
        (void)sennit::record([&] { sennit::parallel_for(seen, count, by); });
        for (const std::atomic<int>& each : seen) ASSERT_EQ(each, 4);
      }
    }
  }
}

// A partition of a program's own, whose answers make no sense.
struct erratic {
  std::uint64_t seed;
  std::uint64_t begin_of(std::size_t part, std::uint64_t n) const noexcept {
    return (seed + part) * 0x9e3779b97f4a7c15 % (2 * n + 3);
  }
};

// Catches an iteration that is left out, or run twice, where parts overlap, have no order or lie beyond the end.
TEST_P(loops, with_any_partition_run_each_iteration_once) {
  static_assert(sennit::partition<erratic> && sennit::partition<sennit::split>);
  static_assert(!sennit::partition<sennit::loop_options>);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<std::atomic<int>> seen(seed % 7 == 0 ? 1 : 40 * (seed % 7));
    const auto count = [&](std::atomic<int>& each) {
      spin(200);
      ++each;
    };
    runtime_.run([&] { sennit::parallel_for(seen, count, erratic{seed}); });
    sennit::serial::parallel_for(seen, count, erratic{seed});
    for (const std::atomic<int>& each : seen) ASSERT_EQ(each, 2) << "seed " << seed;
  }
}

template <class Index, class First, class Last>
std::set<Index> indices(First first, Last last) {
  std::mutex mutex;
  std::set<Index> seen;
  sennit::parallel_for(first, last, [&](Index i) {
    const std::scoped_lock lock(mutex);
    EXPECT_TRUE(seen.insert(i).second) << i;
  });
  return seen;
}

// Catches a bound that is converted before it is compared: -1 is below 5U.
TEST(bounds, of_different_signs_are_compared_as_numbers) {
  const std::set<long> from_minus_one{-1, 0, 1, 2, 3, 4};
  EXPECT_EQ(indices<long>(-1, 5U), from_minus_one);
  EXPECT_EQ(indices<int>(-1, 5U), (std::set<int>{-1, 0, 1, 2, 3, 4}));
  EXPECT_EQ(indices<long>(-1, std::size_t{5}), from_minus_one);
  EXPECT_EQ(indices<long>(static_cast<signed char>(-1), std::uint8_t{5}), from_minus_one);
  EXPECT_EQ(indices<long>(-1L, 5U), from_minus_one);
  EXPECT_TRUE(indices<long>(0U, -1).empty());
  EXPECT_TRUE(indices<long>(std::size_t{0}, -1).empty());
  EXPECT_TRUE(indices<long>(std::size_t{3}, std::int8_t{-3}).empty());
  EXPECT_TRUE(indices<long>(5, 5U).empty());
  EXPECT_TRUE(indices<long>(6, std::size_t{5}).empty());
  EXPECT_EQ(indices<long>(4U, 6), (std::set<long>{4, 5}));
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(indices<std::uint64_t>(most - 2, most), (std::set<std::uint64_t>{most - 2, most - 1}));
  constexpr auto large = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(indices<std::uint32_t>(large - 2, large), (std::set<std::uint32_t>{large - 2, large - 1}));
}

// Catches an index of another type than the bounds have, where nothing asks for it.
TEST(bounds, give_the_index_its_type) {
  const auto expect = [](auto first, auto last, auto index) {
    sennit::parallel_for(first, last,
                         [](auto i) { static_assert(std::same_as<decltype(i), decltype(index)>); });
    sennit::serial::parallel_for(first, last,
                                 [](auto i) { static_assert(std::same_as<decltype(i), decltype(index)>); });
  };
  expect(0, 1, int{});
  expect(0U, 1U, unsigned{});
  expect(0, std::size_t{1}, std::size_t{});
  expect(0L, 1U, long{});
  expect(short{0}, short{1}, short{});
  expect(0, 1U, std::int64_t{});
  expect(0U, 1, std::int64_t{});
}

// Calls loop(body) for a body that notes its index, with the runtime and without: what each of them noted, in order.
template <class I, class Loop>
std::vector<I> noted(Loop&& loop) {
  std::vector<I> parallel;
  std::mutex one_at_a_time;
  const auto note = [&](I i) {
    const std::lock_guard lock(one_at_a_time);
    parallel.push_back(i);
  };
  loop(sennit::parallel_for, note);
  std::sort(parallel.begin(), parallel.end());
  std::vector<I> serial;
  const auto push = [&serial](I i) { serial.push_back(i); };
  loop(sennit::serial::parallel_for, push);
  std::vector<I> sorted = serial;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(parallel, sorted);
  return serial;
}

// Catches a step that is counted from the wrong end, rounds the number of iterations down, or overflows on its way
// beyond the last index.
TEST(bounds, are_gone_through_by_steps) {
  using list = std::vector<long>;
  const auto steps = [](auto first, auto last, auto step) {
    return noted<long>([=](auto& loop, auto& note) { loop(first, last, step, note); });
  };
  EXPECT_EQ(steps(0, 10, 3), (list{0, 3, 6, 9}));
  EXPECT_EQ(steps(0, 9, 3), (list{0, 3, 6}));
  EXPECT_EQ(steps(3, -4, -3), (list{3, 0, -3}));
  EXPECT_EQ(steps(std::size_t{3}, -1, -1), (list{3, 2, 1, 0}));
  EXPECT_EQ(steps(-2, std::size_t{3}, std::uint8_t{2}), (list{-2, 0, 2}));
  EXPECT_EQ(steps(0, 10, -1), list{});
  EXPECT_EQ(steps(10, 0, 1U), list{});
  constexpr auto least = std::numeric_limits<long>::min();
  constexpr auto most = std::numeric_limits<long>::max();
  EXPECT_EQ(steps(least, most, most), (list{least, -1, most - 1}));
  EXPECT_EQ(steps(most, least, least), (list{most, -1}));
  // Where the index after the last one is the first one again.
  EXPECT_EQ(steps(std::int8_t{-128}, std::int8_t{127}, 128), (list{-128, 0}));
  EXPECT_THROW(steps(0, 1, 0), std::invalid_argument);
}

// Catches forms of the call that miss the first or the last, or take a number for an index.
TEST(bounds, are_a_number_of_indices_or_of_elements) {
  EXPECT_EQ(noted<int>([](auto& loop, auto& note) { loop(3, note); }), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(noted<int>([](auto& loop, auto& note) { loop(-3, note); }), std::vector<int>());
  EXPECT_EQ(noted<int>([](auto& loop, auto& note) { loop(3U, note, sennit::grain(1)); }),
            (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(noted<int>([](auto& loop, auto& note) { loop({7, 8}, note); }), (std::vector<int>{7, 8}));
  const int x[] = {5, 6, 7};
  EXPECT_EQ(noted<int>([&](auto& loop, auto& note) { loop(x, 2, note); }), (std::vector<int>{5, 6}));
  EXPECT_EQ(noted<int>([&](auto& loop, auto& note) { loop(std::begin(x) + 1, std::size_t{2}, note); }),
            (std::vector<int>{6, 7}));
  EXPECT_EQ(noted<int>([&](auto& loop, auto& note) { loop(x, -1, note); }), std::vector<int>());
}

struct account {
  int balance = 0;
  void pay() { ++balance; }
};

// Catches a body that is accepted, as it can be invoked, and then called in another way.
TEST(bodies, may_be_members) {
  std::vector<account> accounts(100);
  sennit::parallel_for(accounts, &account::pay);
  sennit::parallel_for(accounts.begin(), accounts.end(), &account::pay);
  sennit::serial::parallel_for(accounts, &account::pay);
  for (const account& a : accounts) EXPECT_EQ(a.balance, 3);
}

// Catches the overload of a body that changes it: several workers would.
TEST(bodies, are_called_as_constants) {
  struct {
    std::atomic<int>* changing;
    char large[200];
    void operator()(int) { ++*changing; }
    void operator()(int) const {}
  } body{};
  std::atomic<int> changing = 0;
  body.changing = &changing;
  sennit::parallel_for(100, body);
  sennit::parallel_for(0, 100, 2, body);
  EXPECT_EQ(changing, 0);
}

// Catches the refusal of a std::vector<bool> that is only read.
TEST(bodies, may_read_bits) {
  std::vector<bool> bits(1000);
  for (std::size_t i = 0; i < bits.size(); i += 3) bits[i] = true;
  std::atomic<int> found = 0;
  sennit::parallel_for(std::as_const(bits), [&](bool bit) { found += bit; });
  sennit::parallel_for(bits.cbegin(), bits.cend(), [&](bool bit) { found += bit; });
  EXPECT_EQ(found, 2 * 334);
}

INSTANTIATE_TEST_SUITE_P(workers, loops,
                         testing::Combine(testing::Values(1U, 2U, 4U, 16U),
                                          testing::Values(sennit::steal_barrier::automatic,
                                                          sennit::steal_barrier::fence)));

// Catches chunks of no iterations, or of so many that their ends overflow.
TEST(for_loop, clamps_the_grain) {
  static_assert(sennit::grain(-1).grain == 1 && sennit::grain(0).grain == 1 && sennit::grain(7U).grain == 7);
  static_assert(sennit::grain(~std::uint64_t{0}).grain == std::uint64_t{1} << 62);
  for (const sennit::loop_options& how :
       {sennit::grain(-1), sennit::grain(0), sennit::grain(~std::uint64_t{0}),
        sennit::loop_options{.grain = ~std::uint64_t{0}}}) {
    with_workers([&] {
      std::vector<int> seen(1000);
      sennit::parallel_for(0, 1000, [&](int i) { ++seen[static_cast<std::size_t>(i)]; }, how);
      EXPECT_EQ(seen, std::vector<int>(1000, 1)) << how.grain;
    });
  }
}

}  // namespace
}  // namespace sennit_test
