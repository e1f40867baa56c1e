// SPDX-License-Identifier: Apache-2.0
// task_flow: tasks in serial order, with the data that they use.
#include "support.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/graph_trace.hpp>
#include <sennit/join.hpp>
#include <sennit/region.hpp>
#include <sennit/replay.hpp>
#include <sennit/runtime.hpp>
#include <sennit/schedule.hpp>
#include <sennit/task_flow.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SENNIT_TEST_KEEPS_FREED_MEMORY 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SENNIT_TEST_KEEPS_FREED_MEMORY 1
#endif
#ifndef SENNIT_TEST_KEEPS_FREED_MEMORY
#define SENNIT_TEST_KEEPS_FREED_MEMORY 0
#endif

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

// Catches: tasks that exclude each other and run at once, or never; a reader that does not wait for all of them.
TEST(task_flow, runs_what_excludes_one_at_a_time) {
  with_workers([] {
    for (std::uint32_t seed = 0; seed < scaled(20U); ++seed) {
      std::mt19937 random(seed);
      std::vector<std::uint64_t> cells(40);
      std::vector<std::atomic<int>> inside(40);
      std::atomic<int> at_once{0};
      std::vector<std::uint64_t> seen;
      std::vector<std::uint64_t> expected_cells(40);
      std::vector<std::uint64_t> expected;
      task_flow flow({.most_waiting = 1 + static_cast<std::uint32_t>(random() % 300)});
      for (int n = 0; n < 600; ++n) {
        if (n % 50 == 49) {
          const std::size_t i = random() % cells.size();
          expected.push_back(expected_cells[i]);
          flow.submit({reads(memory_range(&cells[i], 1)), writes(memory_range(&seen, 1))},
                      [&, i] { seen.push_back(cells[i]); });
          continue;
        }
        sennit::range r[2];
        for (auto& each : r) {
          each.first = static_cast<std::int64_t>(random() % 36);
          each.last = each.first + 1 + static_cast<std::int64_t>(random() % 4);
          for (auto i = each.first; i < each.last; ++i) ++expected_cells[static_cast<std::size_t>(i)];
        }
        flow.submit(excludes(memory_range(cells, r[0]), memory_range(cells, r[1])), [&, r] {
          for (const int by : {1, -1}) {
            for (const auto& each : r)
              for (auto i = each.first; i < each.last; ++i) {
                auto& count = inside[static_cast<std::size_t>(i)];
                if (by == 1) ++cells[static_cast<std::size_t>(i)];
                // Its own two ranges may overlap.
                if (count.fetch_add(by) >= 2 && by == 1) ++at_once;
              }
          }
        });
      }
      flow.wait();
      EXPECT_EQ(at_once, 0) << "seed " << seed;
      EXPECT_TRUE(cells == expected_cells) << "seed " << seed;
      EXPECT_TRUE(seen == expected) << "seed " << seed;
    }
  });
}

// Catches: tasks that add and wait for one another, of which each needs the other at the same time; a reader that comes too early.
TEST(task_flow, runs_what_adds_in_any_order_before_what_reads) {
  with_workers([] {
    std::vector<std::uint64_t> histogram(16);
    std::uint64_t sum = 0;
    task_flow flow;
    for (int round = 1; round <= 5; ++round) {
      for (std::uint64_t block = 0; block < 100; ++block) {
        flow.submit(adds(memory_range(histogram)), [&histogram, block] {
          for (std::uint64_t i = 0; i < 50; ++i)
            std::atomic_ref(histogram[(block * i) % 16]).fetch_add(1, std::memory_order_relaxed);
        });
      }
      flow.submit({reads(memory_range(histogram)), writes(memory_range(&sum, 1))}, [&] {
        sum = 0;
        for (const std::uint64_t h : histogram) sum += h;
      });
      flow.wait();
      EXPECT_EQ(sum, 5000U * static_cast<std::uint64_t>(round));
    }
  });
}

// Catches: places that are not used again; a bound that nobody keeps.
TEST(task_flow, needs_no_memory_for_tasks_that_have_finished) {
  with_workers([] {
    constexpr int most = 100;
    std::atomic<int> alive{0};
    std::atomic<int> peak{0};
    class counted {
     public:
      counted(std::atomic<int>& a, std::atomic<int>& p) : alive_(&a), peak_(&p) { begin(); }
      counted(counted&& other) noexcept : alive_(std::exchange(other.alive_, nullptr)), peak_(other.peak_) {}
      counted(const counted& other) : alive_(other.alive_), peak_(other.peak_) { begin(); }
      ~counted() {
        if (alive_ != nullptr) --*alive_;
      }
      void operator()() const {}

     private:
      void begin() {
        const int now = ++*alive_;
        int seen = *peak_;
        while (seen < now && !peak_->compare_exchange_weak(seen, now)) {
        }
      }
      std::atomic<int>* alive_;
      std::atomic<int>* peak_;
    };
    std::vector<char> cells(1000);
    {
      task_flow flow({.most_waiting = most});
      for (std::size_t n = 0; n < 100'000; ++n) {
        flow.submit({reads(memory_range(&cells[n * 7 % 1000], 1)), writes(memory_range(&cells[n % 1000], 1))},
                    counted(alive, peak));
      }
    }
    EXPECT_EQ(alive, 0);
    EXPECT_LE(peak, most + 1);
  });
}

// Catches: memory that grows with the number of regions, where each is used once.
TEST(task_flow, forgets_regions_that_are_not_used_any_more) {
#if SENNIT_TEST_KEEPS_FREED_MEMORY
  GTEST_SKIP() << "AddressSanitizer keeps freed memory";
#endif
  with_workers([] {
    const auto kib = [] {
      std::ifstream status("/proc/self/statm");
      std::size_t all = 0;
      std::size_t resident = 0;
      status >> all >> resident;
      return resident * 4;
    };
    task_flow flow;
    std::size_t before = 0;
    for (std::uintptr_t n = 0; n < 300'000; ++n) {
      if (n == 100'000) before = kib();
      flow.submit(writes(memory_range(reinterpret_cast<const char*>(4096 + n * 64), 64)), [] {});
    }
    flow.wait();
    EXPECT_LE(kib(), before + 20'000);
  });
}

// Catches: a flow of a task that is taken for the flow of its task.
TEST(task_flow, lets_tasks_have_flows) {
  with_workers([] {
    std::vector<std::uint64_t> cells(64);
    task_flow flow;
    for (int round = 0; round < 10; ++round) {
      for (std::size_t block = 0; block < 4; ++block) {
        flow.submit(writes(memory_range(&cells[block * 16], 16)), [&cells, block] {
          task_flow inner;
          for (int n = 0; n < 64; ++n) {
            std::uint64_t* const cell = &cells[block * 16 + static_cast<std::size_t>(n) % 16];
            inner.submit(writes(memory_range(cell, 1)), [cell] { *cell = *cell * 3 + 1; });
          }
          inner.wait();
        });
      }
    }
    flow.wait();
    std::uint64_t expected = 0;
    for (int n = 0; n < 40; ++n) expected = expected * 3 + 1;
    for (const std::uint64_t c : cells) EXPECT_EQ(c, expected);
  });
}

// Catches: effects::everything() that waits for nothing, or for which nothing waits; effects of regions without a hull.
TEST(task_flow, takes_everything_for_a_barrier) {
  with_workers([] {
    std::vector<int> cells(50);
    for (int round = 0; round < 20; ++round) {
      task_flow flow;
      for (int& c : cells) flow.submit(writes(memory_range(&c, 1)), [&c] { ++c; });
      int sum = 0;
      flow.submit(effects::everything(), [&] {
        for (const int c : cells) sum += c;
      });
      for (int& c : cells)
        flow.submit(writes(memory_range(&c, 1)), [&c, &sum] { c += sum >= 50 ? 1 : 1000; });
      flow.wait();
      EXPECT_EQ(sum, 50 * (2 * round + 1));
    }
  });
}

// Catches: boxes that are compared by their hulls, or not at all.
TEST(task_flow, compares_boxes_exactly) {
  with_workers([] {
    constexpr std::int64_t side = 24;
    std::vector<std::uint64_t> plane(side * side);
    std::vector<std::uint64_t> expected(side * side);
    std::mt19937 random(7);
    task_flow flow;
    for (int n = 0; n < 2000; ++n) {
      sennit::range rows{static_cast<std::int64_t>(random() % 20), 0};
      sennit::range columns{static_cast<std::int64_t>(random() % 20), 0};
      rows.last = rows.first + 1 + static_cast<std::int64_t>(random() % 4);
      columns.last = columns.first + 1 + static_cast<std::int64_t>(random() % 4);
      const auto change = [=](std::vector<std::uint64_t>& of) {
        for (auto i = rows.first; i < rows.last; ++i)
          for (auto j = columns.first; j < columns.last; ++j) {
            auto& cell = of[static_cast<std::size_t>(i * side + j)];
            cell = cell * 31 + static_cast<std::uint64_t>(n);
          }
      };
      change(expected);
      flow.submit(writes(sennit::memory_box<2>(plane.data(), {side}, {rows, columns})),
                  [&plane, change] { change(plane); });
    }
    flow.wait();
    EXPECT_TRUE(plane == expected);
  });
}

// Catches: a trace without dependences, because the tasks have finished meanwhile; one of other tasks.
TEST(task_flow, notes_who_waited_for_whom) {
  with_workers([] {
    graph::trace seen;
    task_flow flow({.trace = &seen});
    for (int round = 0; round < 2; ++round) {
      std::vector<int> cells(3);
      const auto at = [&](std::size_t i) { return memory_range(&cells[i], 1); };
      flow.submit(writes(at(0)), [] {}, "load");
      flow.submit({reads(at(0)), writes(at(1))}, [] {});
      flow.submit({reads(at(0)), writes(at(2))}, [] {});
      flow.submit({reads(at(1), at(2)), writes(at(0))}, [] {}, "store");
      flow.wait();
      std::map<std::string, std::vector<std::string>> before;
      for (const auto& n : seen.nodes()) {
        auto& names = before[n.key];
        for (const std::uint32_t p : n.predecessors) names.push_back(seen.nodes()[p].key);
        std::sort(names.begin(), names.end());
      }
      const std::map<std::string, std::vector<std::string>> expected{
          {"0 load", {}}, {"1", {"0 load"}}, {"2", {"0 load"}}, {"3 store", {"1", "2"}}};
      EXPECT_THAT(before, testing::ContainerEq(expected));
    }
  });
}

// Catches: an order that depends on who happens to wait, in a region that is recorded; a replay that runs tasks twice.
TEST(task_flow, runs_in_order_in_an_observed_region) {
  std::vector<int> order;
  int cell = 0;
  const auto run = [&] {
    order.clear();
    task_flow flow;
    for (int n = 0; n < 50; ++n)
      flow.submit(adds(memory_range(&cell, 1)), [&order, n] { order.push_back(n); });
    flow.wait();
  };
  sennit::runtime rt({.workers = 4});
  const sennit::schedule s = rt.run([&] { return sennit::record(run); });
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(order.size(), 50U);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    rt.run([&] { sennit::replay(s, sennit::strict_unordered, run); });
  }
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

// Catches: a task of lower priority that begins first; tasks without a priority that are lost among those with one. One strand is kept
// busy, so that the order of the other one is exact.
TEST(task_flow, begins_with_the_highest_priority) {
  sennit::runtime two_workers({.workers = 2});
  two_workers.run([] {
    for (int round = 0; round < 5; ++round) {
      constexpr int tasks = 30;
      std::atomic<bool> submitted = false;
      std::atomic<int> left = tasks;
      int gate = 0;
      std::vector<int> order;
      task_flow flow;
      flow.submit({}, [&] {
        while (left.load() != 0) std::this_thread::yield();
      });
      flow.submit(writes(memory_range(&gate, 1)), [&] {
        while (!submitted.load()) std::this_thread::yield();
      });
      for (int i = 0; i < tasks; ++i) {
        const int priority = i % 7 - 3;
        flow.submit(reads(memory_range(&gate, 1)),
                    [&, priority] {
                      order.push_back(priority);
                      --left;
                    },
                    {.name = "one of many", .priority = priority});
      }
      submitted = true;
      flow.wait();
      ASSERT_EQ(order.size(), std::size_t{tasks});
      EXPECT_TRUE(std::is_sorted(order.rbegin(), order.rend())) << testing::PrintToString(order);
    }
  });
}

// Catches: a task whose name is lost beside its priority; a round that still has the priorities of the one before.
TEST(task_flow, names_tasks_and_forgets_priorities) {
  with_workers([] {
    int sum = 0;
    task_flow flow;
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < 50; ++i) {
        const graph::flow_task_options options{.name = "add", .priority = round % 2 == 0 ? i % 3 : 0};
        flow.submit(excludes(memory_range(&sum, 1)), [&sum] { ++sum; }, options);
      }
      flow.wait();
      EXPECT_EQ(sum, 50 * (round + 1));
    }
#if SENNIT_EXCEPTIONS
    flow.submit(writes(memory_range(&sum, 1)), [] { throw std::runtime_error("no room"); },
                {.name = "load", .priority = 3});
    EXPECT_EQ(text_of<graph::node_error>([&] { flow.wait(); }), "sennit: task 0 (load) of a flow: no room");
#endif
  });
}

#if SENNIT_EXCEPTIONS
// Catches: a region that is cancelled and waits for tasks that never run; closures that are not destroyed.
TEST(task_flow, ends_in_a_cancelled_region) {
  under(settings({1, 2, 4}), [&](sennit::runtime& rt) {
    const auto token = std::make_shared<int>(0);
    std::vector<int> cells(100);
    sennit::region region;
    const auto submit_all = [&] {
      task_flow flow({.most_waiting = 50});
      for (int n = 0; n < 100'000; ++n) {
        int& c = cells[static_cast<std::size_t>(n) % 100];
        flow.submit(writes(memory_range(&c, 1)), [&c, &region, token, n] {
          ++c;
          if (n == 500) region.cancel();
        });
      }
      flow.wait();
    };
    EXPECT_FALSE(rt.run([&] { return region.run(submit_all); }));
    EXPECT_EQ(token.use_count(), 1);
  });
}

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
