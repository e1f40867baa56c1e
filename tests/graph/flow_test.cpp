// task_flow: tasks in serial order, with the data that they use.
#include "support.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/join.hpp>
#include <sennit/task_flow.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace sennit_test {
namespace {

using graph::task_flow;
using sennit::adds;
using sennit::effects;
using sennit::excludes;
using sennit::memory_range;
using sennit::reads;
using sennit::writes;

// Catches: a dependence that is forgotten, or counted twice; a task that never runs.
TEST(task_flow, factorizes_in_tiles_as_the_serial_program) {
  static constexpr std::size_t tiles = 12;
  using tile = std::uint64_t;
  std::vector<tile> expected(tiles * tiles);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = i + 1;
  const auto given = expected;
  const auto each = [&](auto&& potrf, auto&& trsm, auto&& gemm) {
    for (std::size_t k = 0; k < tiles; ++k) {
      potrf(k);
      for (std::size_t i = k + 1; i < tiles; ++i) trsm(i, k);
      for (std::size_t i = k + 1; i < tiles; ++i)
        for (std::size_t j = k + 1; j <= i; ++j) gemm(i, j, k);
    }
  };
  const auto mixed = [](tile a, tile b, tile c) { return (a ^ (b << 1)) * 0x9e3779b97f4a7c15U + c; };
  each(
      [&](std::size_t k) {
        auto& a = expected[k * tiles + k];
        a = mixed(a, 1, 2);
      },
      [&](std::size_t i, std::size_t k) {
        auto& a = expected[i * tiles + k];
        a = mixed(a, expected[k * tiles + k], 3);
      },
      [&](std::size_t i, std::size_t j, std::size_t k) {
        auto& a = expected[i * tiles + j];
        a = mixed(a, expected[i * tiles + k], expected[j * tiles + k]);
      });
  with_workers([&] {
    for (const std::uint32_t most : {1U, 7U, 4096U}) {
      std::vector<tile> matrix = given;
      const auto at = [&](std::size_t i, std::size_t j) { return memory_range(&matrix[i * tiles + j], 1); };
      task_flow flow({.most_waiting = most});
      each(
          [&](std::size_t k) {
            flow.submit(writes(at(k, k)), [&matrix, mixed, k] {
              auto& a = matrix[k * tiles + k];
              a = mixed(a, 1, 2);
            });
          },
          [&](std::size_t i, std::size_t k) {
            flow.submit({reads(at(k, k)), writes(at(i, k))}, [&matrix, mixed, i, k] {
              auto& a = matrix[i * tiles + k];
              a = mixed(a, matrix[k * tiles + k], 3);
            });
          },
          [&](std::size_t i, std::size_t j, std::size_t k) {
            flow.submit({reads(at(i, k), at(j, k)), writes(at(i, j))}, [&matrix, mixed, i, j, k] {
              auto& a = matrix[i * tiles + j];
              a = mixed(a, matrix[i * tiles + k], matrix[j * tiles + k]);
            });
          });
      flow.wait();
      EXPECT_TRUE(matrix == expected) << "most_waiting " << most;
    }
  });
}

struct random_task {
  std::vector<sennit::range> read;
  std::vector<sennit::range> written;
};

std::vector<random_task> random_tasks(std::size_t count, std::int64_t cells, std::mt19937& random) {
  std::vector<random_task> tasks(count);
  const auto some = [&] {
    const auto length = static_cast<std::int64_t>(random() % 3 == 0 ? 1 + random() % 20 : 4);
    const std::int64_t first = random() % 3 == 0 ? static_cast<std::int64_t>(random()) % (cells - length)
                                                 : static_cast<std::int64_t>(random()) % (cells / 4 - 5) * 4;
    return sennit::range{first, first + length};
  };
  for (random_task& t : tasks) {
    for (unsigned i = random() % 3; i > 0; --i) t.read.push_back(some());
    for (unsigned i = random() % 3; i > 0; --i) t.written.push_back(some());
  }
  return tasks;
}

void do_task(const random_task& t, std::size_t n, std::vector<std::uint64_t>& cells) {
  std::uint64_t sum = n;
  for (const auto& r : t.read)
    for (auto i = r.first; i < r.last; ++i) sum = sum * 31 + cells[static_cast<std::size_t>(i)];
  for (const auto& r : t.written)
    for (auto i = r.first; i < r.last; ++i) {
      auto& cell = cells[static_cast<std::size_t>(i)];
      cell = cell * 7 + sum;
    }
}

effects effects_of(const random_task& t, const std::vector<std::uint64_t>& cells) {
  effects fx;
  for (const auto& r : t.read) fx += effects(reads(memory_range(cells, r)));
  for (const auto& r : t.written) fx += effects(writes(memory_range(cells, r)));
  return fx;
}

// Catches: regions that overlap and are not equal, of which one is forgotten.
TEST(task_flow, runs_random_programs_with_overlapping_regions_as_the_serial_program) {
  with_workers([] {
    for (std::uint32_t seed = 0; seed < scaled(20U); ++seed) {
      std::mt19937 random(seed);
      const std::int64_t count = 40 + static_cast<std::int64_t>(random() % 400);
      const auto tasks = random_tasks(1000, count, random);
      std::vector<std::uint64_t> expected(static_cast<std::size_t>(count));
      auto cells = expected;
      for (std::size_t n = 0; n < tasks.size(); ++n) do_task(tasks[n], n, expected);
      task_flow flow({.most_waiting = 1 + static_cast<std::uint32_t>(random() % 300)});
      for (std::size_t n = 0; n < tasks.size(); ++n)
        flow.submit(effects_of(tasks[n], cells), [&, n] { do_task(tasks[n], n, cells); });
      flow.wait();
      EXPECT_TRUE(cells == expected) << "seed " << seed;
    }
  });
}

// Catches: a flow that works in a region only.
TEST(task_flow, works_outside_any_region) {
  std::vector<int> cells(10);
  for (const std::uint32_t most : {2U, 4096U}) {
    std::fill(cells.begin(), cells.end(), 0);
    task_flow flow({.most_waiting = most});
    for (int n = 0; n < 2000; ++n) {
      const auto i = static_cast<std::size_t>(n) % cells.size();
      flow.submit(writes(memory_range(&cells[i], 1)), [&cells, i] { ++cells[i]; });
    }
    flow.wait();
    for (const int c : cells) EXPECT_EQ(c, 200);
  }
}

#if SENNIT_EXCEPTIONS
// Catches: an exception that is lost; a task that begins after it and depends on the one that threw; a flow that cannot be used
// again.
TEST(task_flow, names_the_task_that_threw) {
  with_workers([] {
    int a = 0;
    int b = 0;
    task_flow flow;
    for (int round = 0; round < 3; ++round) {
      const std::string text = text_of<graph::node_error>([&] {
        flow.submit(writes(memory_range(&b, 1)), [] {});
        flow.submit(writes(memory_range(&a, 1)), [] { throw std::runtime_error("no room"); }, "load");
        flow.submit(writes(memory_range(&a, 1)), [&] { a = 1; });
        flow.wait();
      });
      EXPECT_EQ(text, "sennit: task 1 (load) of a flow: no room");
      EXPECT_EQ(a, 0);
    }
    flow.submit(writes(memory_range(&a, 1)), [&] { a = 2; });
    flow.wait();
    EXPECT_EQ(a, 2);
  });
}

// Catches: submission by two at a time, which nobody notices.
TEST(task_flow, refuses_a_task_that_submits_to_its_own_flow_while_others_wait) {
  with_workers([] {
    int a = 0;
    task_flow flow;
    flow.submit(writes(memory_range(&a, 1)), [&] { flow.submit(writes(memory_range(&a, 1)), [] {}); });
    EXPECT_THROW(flow.wait(), graph::node_error);
  });
}
#endif

}  // namespace
}  // namespace sennit_test
