// SPDX-License-Identifier: Apache-2.0
// The functions that ParlayLib asks of a scheduler, and code like ParlayLib's on top of them.
#include "random_program.hpp"

#include <parlay/primitives.h>

#include <cstdlib>
#include <memory>
#include <numeric>

namespace sennit_test {
namespace {

std::size_t workers_asked_for() { return std::stoul(std::getenv("SENNIT_WORKERS")); }

// Catches a count that needs a parallel call first, or that changes with one; also in destructors of static
// objects, which in ParlayLib walk over what each worker had.
TEST(parlay_workers, are_as_many_as_asked_for_at_all_times) {
  EXPECT_EQ(parlay::num_workers(), workers_asked_for());
  parlay::par_do([] { EXPECT_EQ(parlay::num_workers(), workers_asked_for()); },
                 [] { EXPECT_EQ(parlay::num_workers(), workers_asked_for()); });
  EXPECT_EQ(parlay::num_workers(), workers_asked_for());
  static const struct at_exit {
    ~at_exit() {
      if (parlay::num_workers() != workers_asked_for()) std::abort();
    }
  } check;
}

// Catches a plug-in that cannot be made ready ahead of time, or twice.
TEST(parlay_workers, can_be_made_before_they_are_needed) {
  parlay::init_plugin_internal();
  parlay::init_plugin_internal();
  EXPECT_EQ(parlay::num_workers(), workers_asked_for());
}

// Catches a function that is copied, moved though it cannot be, called as something else than it was passed
// as, or whose result is wanted.
TEST(parlay_par_do, takes_any_function) {
  struct immovable {
    int& calls;
    explicit immovable(int& c) : calls(c) {}
    immovable(const immovable&) = delete;
    immovable& operator=(const immovable&) = delete;
    int operator()() && { return calls += 10; }
    void operator()() & { ++calls; }
  };
  int left = 0;
  int right = 0;
  parlay::par_do(immovable(left), immovable(right));
  immovable named_left(left);
  immovable named_right(right);
  parlay::parallel_do(named_left, named_right);
  EXPECT_EQ(left, 11);
  EXPECT_EQ(right, 11);

  const auto moved = std::make_unique<int>(1);
  auto from = std::make_unique<int>(2);
  auto to = std::make_unique<int>(3);
  parlay::par_do([p = std::move(from), &left] { left = *p; },
                 [p = std::move(to), &right]() mutable { right = *std::exchange(p, nullptr); });
  EXPECT_EQ(left, 2);
  EXPECT_EQ(right, 3);
  parlay::par_do([&] { return *moved; }, [] { return std::make_unique<int>(4); });
}

// Catches branches that are left out or run twice, where they nest, and in conservative calls.
TEST(parlay_par_do, runs_both_sides_once) {
  std::atomic<int> leaves{0};
  const auto tree = [&](auto& self, int depth) -> void {
    if (depth == 0) {
      ++leaves;
      return;
    }
    parlay::par_do([&] { self(self, depth - 1); }, [&] { self(self, depth - 1); }, depth % 2 == 0);
  };
  tree(tree, 12);
  EXPECT_EQ(leaves, 4096);
}

// Catches iterations that are left out or run twice, whatever the granularity; those below zero and beyond
// the range mean all of it at once.
TEST(parlay_parallel_for, runs_each_iteration_once) {
  for (const std::size_t n : {1U, 2U, 3U, 63U, 1000U}) {
    for (const long granularity : {0L, 1L, 7L, 999L, 1000L, 1001L, -1L}) {
      for (const bool conservative : {false, true}) {
        for (const std::size_t start : {std::size_t{0}, std::size_t{1} << 62U}) {
          std::vector<std::atomic<int>> runs(n);
          parlay::parallel_for(
              start, start + n, [&](std::size_t i) { ++runs[i - start]; }, granularity, conservative);
          for (const auto& r : runs) ASSERT_EQ(r, 1) << n << " " << granularity << " " << start;
        }
      }
    }
  }
}

// Catches a range counted without regard to its sign.
TEST(parlay_parallel_for, of_nothing_does_nothing) {
  for (const long granularity : {0L, 1L, 1000L}) {
    parlay::parallel_for(0, 0, [](std::size_t) { ADD_FAILURE(); }, granularity);
    parlay::parallel_for(10, 10, [](std::size_t) { ADD_FAILURE(); }, granularity);
    parlay::parallel_for(10, 3, [](std::size_t) { ADD_FAILURE(); }, granularity);
  }
}

// Catches a body that is copied, or taken for a constant.
TEST(parlay_parallel_for, takes_any_function) {
  struct immovable {
    std::atomic<long> sum{0};
    immovable() = default;
    immovable(const immovable&) = delete;
    immovable& operator=(const immovable&) = delete;
    long operator()(long i) { return sum += i; }
  };
  immovable body;
  parlay::parallel_for(0, 1000, body);
  EXPECT_EQ(body.sum, 499500);
  parlay::parallel_for(0, 1000, [&body, p = std::make_unique<int>(2)](auto i) mutable {
    body.sum += *p * static_cast<long>(i);
  });
  EXPECT_EQ(body.sum, 3 * 499500);
}

// Catches an exception that is lost, or not the serial program's.
TEST(parlay_exceptions, go_through) {
  const auto thrown_by = [](auto&& call) {
    try {
      call();
    } catch (const failure& f) {
      return f.position;
    }
    return ~std::uint64_t{0};
  };
  for (int i = 0; i < scaled(100); ++i) {
    EXPECT_EQ(thrown_by([] { parlay::par_do([] { throw failure{1}; }, [] { throw failure{2}; }); }), 1U);
    EXPECT_EQ(thrown_by([] { parlay::par_do([] {}, [] { throw failure{2}; }); }), 2U);
    for (const long granularity : {0L, 1L, 5000L}) {
      EXPECT_EQ(thrown_by([&] {
                  parlay::parallel_for(
                      0, 1000,
                      [](std::size_t j) {
                        if (j >= 500 && j % 7 == 0) throw failure{j};
                      },
                      granularity);
                }),
                504U);
    }
  }
  std::atomic<int> calls{0};
  parlay::parallel_for(0, 100, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 100);
}

// Catches a runtime that is not its own, or that is left behind.
TEST(parlay_execute_with_scheduler, has_workers_of_its_own) {
  for (const unsigned workers : {1U, 3U}) {
    const std::size_t inside = parlay::execute_with_scheduler(workers, [&] {
      parlay::parallel_for(0, 100, [&](std::size_t) { ASSERT_LT(parlay::worker_id(), workers); });
      return parlay::num_workers();
    });
    EXPECT_EQ(inside, workers);
  }
  EXPECT_THROW(parlay::execute_with_scheduler(2, [] { throw failure{1}; }), failure);
  parlay::par_do([] { parlay::execute_with_scheduler(2, [] { EXPECT_EQ(parlay::num_workers(), 2U); }); },
                 [] { EXPECT_EQ(parlay::num_workers(), workers_asked_for()); });
  EXPECT_EQ(parlay::num_workers(), workers_asked_for());
}

// Catches what only a longer program shows: primitives on primitives, against their serial counterparts.
TEST(parlay_programs, compute_what_serial_ones_do) {
  for (const std::size_t n : {0U, 1U, 99U, 100U, 101U, 20000U}) {
    const auto values = parlay::tabulate(n, [](std::size_t i) { return mixed(i) % 1000; });
    ASSERT_EQ(parlay::reduce(values, std::uint64_t{0}, std::plus<>()),
              std::accumulate(values.begin(), values.end(), std::uint64_t{0}));
    std::vector<std::uint64_t> before(n);
    std::exclusive_scan(values.begin(), values.end(), before.begin(), std::uint64_t{0});
    const auto [out, total] = parlay::scan(values, std::uint64_t{0}, std::plus<>());
    ASSERT_EQ(out, before);
    ASSERT_EQ(total, n == 0 ? 0 : before.back() + values.back());

    auto sorted = values;
    auto expected = values;
    std::vector<std::uint64_t> space(n);
    parlay::merge_sort(sorted.data(), sorted.data() + n, space.data());
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(sorted, expected);
  }
}

// Catches a phase that is entered or left too early. As in a graph search: short loops one after the other,
// each on what the last one left, and hardly any work between.
TEST(parlay_programs, have_many_short_phases) {
  const std::size_t n = 48;
  std::vector<std::uint64_t> now(n, 1);
  std::vector<std::uint64_t> next(n);
  std::uint64_t expected = 1;
  for (int phase = 0; phase < scaled(5000); ++phase) {
    parlay::parallel_for(
        0, n, [&](std::size_t i) { next[i] = now[i] + now[n - 1 - i] + 1; }, phase % 3 == 0 ? 4 : 0);
    std::swap(now, next);
    expected = 2 * expected + 1;
    if (phase % 16 == 0) {
      parlay::par_do([&] { ASSERT_EQ(now.front(), expected); }, [&] { ASSERT_EQ(now.back(), expected); });
    }
  }
  EXPECT_EQ(now, std::vector<std::uint64_t>(n, expected));
}

// A tree of par_do, of loops in their branches and of par_do in their bodies, unfolded from a seed.
template <bool parallel>
std::uint64_t grown(std::uint64_t seed, int depth) {
  const std::uint64_t draw = mixed(seed);
  if (depth == 0 || draw % 16 == 0) return draw;
  if (draw % 3 != 0) {
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    const auto go_left = [&] { left = grown<parallel>(draw + 1, depth - 1); };
    const auto go_right = [&] { right = grown<parallel>(draw + 2, depth - 1); };
    if constexpr (parallel) {
      parlay::par_do(go_left, go_right, draw % 5 == 0);
    } else {
      go_left();
      go_right();
    }
    return folded(left, right);
  }
  std::vector<std::uint64_t> parts((draw >> 8) % 12);
  const auto grow = [&](std::size_t i) {
    parts[i] = grown<parallel>(draw + i, depth - 2 > 0 ? depth - 2 : 0);
  };
  if constexpr (parallel) {
    parlay::parallel_for(0, parts.size(), grow, static_cast<long>((draw >> 16) % 4));
  } else {
    for (std::size_t i = 0; i < parts.size(); ++i) grow(i);
  }
  return std::accumulate(parts.begin(), parts.end(), draw, &folded);
}

// Catches branches and iterations that get lost where they nest at random.
TEST(parlay_programs, may_nest_in_any_way) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(scaled(200)); ++seed) {
    ASSERT_EQ(grown<true>(seed, 9), grown<false>(seed, 9)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace sennit_test
