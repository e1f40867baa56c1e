// SPDX-License-Identifier: Apache-2.0
// Colors: preferences, which change where nodes are computed and nothing else.
#include "support.hpp"

#include <atomic>
#include <chrono>
#include <limits>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

using graph::weighted_color;

// A grid of 40 by 40.
constexpr int side = 40;
std::vector<int> neighbors(int k) {
  std::vector<int> before;
  if (k % side != 0) before.push_back(k - 1);
  if (k >= side) before.push_back(k - side);
  return before;
}

// Expects that the grid is computed as without colors.
template <class Color>
void expect_computed_with(const Color& color, const graph::coloring& how = {}) {
  const auto run = [&](auto keys) {
    ledger done(side * side);
    graph::run(side * side - 1, graph::nodes{.predecessors = neighbors,
                                             .compute =
                                                 [&](int k, auto& node) {
                                                   done.compute(static_cast<std::size_t>(k),
                                                                node.predecessors());
                                                 },
                                             .color = color,
                                             .keys = keys,
                                             .coloring = how});
    EXPECT_EQ(done.early(), 0U);
    EXPECT_TRUE(done.computed() == std::vector<std::uint32_t>(side * side, 1));
  };
  run(graph::hashed<>());
  run(graph::dense(side * side));
}

// Catches: nodes of another color than the worker's that are forgotten, or kept for one who never comes.
TEST(graph_color, of_each_kind_of_place) {
  with_workers([] {
    for (const graph::places of : {graph::places::workers, graph::places::caches, graph::places::nodes}) {
      const unsigned count = graph::color_count(of);
      EXPECT_GE(count, 1U);
      EXPECT_LT(graph::color_here(of), count);
      for (int i = 0; i < 5; ++i) {
        expect_computed_with([=](int k) { return static_cast<unsigned>(k / side) * count / side; },
                             {.of = of});
        expect_computed_with([=](int k) { return static_cast<unsigned>(k) % count; }, {.of = of});
      }
    }
  });
  EXPECT_GE(graph::color_count(graph::places::workers), 1U);
}
// Catches: a color that no worker has, is negative, or has no bit, and keeps a node from being computed.
TEST(graph_color, of_no_place) {
  with_workers([] {
    for (const long color : {-1L, 3L, 63L, 64L, 4095L, 4096L, std::numeric_limits<long>::max(),
                             std::numeric_limits<long>::min()}) {
      expect_computed_with([=](int) { return color; });
      expect_computed_with([=](int k) { return k % 2 == 0 ? color : 0L; }, {.of = graph::places::workers});
    }
  });
}
// Catches: places beyond the last bit, which silently share one, or none.
TEST(graph_color, of_more_places_than_can_be_told_apart) {
  const auto color = [](int k) { return k; };
  sennit::runtime most({.workers = graph::most_colors});
  most.run([&] { expect_computed_with(color, {.of = graph::places::workers}); });
  sennit::runtime more({.workers = graph::most_colors + 1});
  more.run([&] {
    expect_computed_with(color, {.of = graph::places::nodes});
    try {
      expect_computed_with(color, {.of = graph::places::workers});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(
          e.what(),
          "sennit: graph: coloring.of = workers, of which there are 65, but at most 64 colors can be told "
          "apart: color by caches or nodes, or use a runtime of 64 workers");
    }
  });
}
// Catches: weights that are divided by, or colors that are read from an empty range.
TEST(graph_color, with_weights) {
  with_workers([] {
    for (const double weight : {0.0, 0.49, 0.5, 1.0, -1.0}) {
      expect_computed_with(
          [=](int k) {
            return std::vector<weighted_color>{{static_cast<unsigned>(k) % 2, 1},
                                               {static_cast<unsigned>(k) % 3, weight}};
          },
          {.of = graph::places::workers});
    }
    expect_computed_with([](int) { return std::vector<weighted_color>(); });
  });
  using sennit::detail::bits_of_colors;
  EXPECT_EQ(bits_of_colors(std::vector<weighted_color>{}, 8), 0U);
  EXPECT_EQ(bits_of_colors(std::vector<weighted_color>{{0, 1}, {1, 0.5}, {2, 0.49}, {5, 0.9}, {8, 1}}, 8),
            0b100011U);
  EXPECT_EQ(bits_of_colors(std::vector<weighted_color>{{0, 0}, {1, -3}}, 8), 0U);
}
// Catches: a patience of zero that is taken for none, or one that keeps workers that never had a node of their color.
TEST(graph_color, with_any_patience) {
  with_workers([] {
    for (const double patience : {0.0, 0.5, 100.0}) {
      const graph::coloring how{.of = graph::places::workers, .patience = patience};
      expect_computed_with([](int k) { return k % 4; }, how);
      expect_computed_with([](int) { return 0; }, how);
      expect_computed_with([](int) { return -1; }, how);
    }
  });
}

// Catches: nodes of no color, or all of one, that are never given away: then one worker computes them all.
TEST(graph_color, of_no_place_does_not_keep_nodes_on_one_worker) {
  const auto before = [](int k) { return k == 0 ? std::views::iota(1, 200) : std::views::iota(0, 0); };
  under(parallel_settings(), [&](sennit::runtime& rt) {
    for (const int color : {-1, 5000, 0, 40}) {
      const auto is_shared = [&] {
        std::atomic<int> elsewhere{0};
        const auto some_time = [&, here = std::this_thread::get_id()](int) {
          const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
          while (std::chrono::steady_clock::now() < end) {
          }
          if (std::this_thread::get_id() != here) ++elsewhere;
        };
        graph::run(0, graph::nodes{.predecessors = before,
                                   .compute = some_time,
                                   .color = [=](int) { return color; },
                                   .coloring = {.of = graph::places::workers}});
        return elsewhere > 0;
      };
      rt.run([&] { await(is_shared, "a run whose nodes are computed by several workers"); });
    }
  });
}

// Catches: workers that sleep as the run begins, or fall asleep in it, and are not called for what waits for their color.
TEST(graph_color, calls_the_workers_of_a_color) {
  sennit::runtime two({.workers = 2});
  for (int run = 0; run < scaled(50); ++run) {
    two.run([&] {
      if (run % 5 == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the other one sleeps by then
      constexpr int nodes = 20;
      const unsigned caller = graph::color_here(graph::places::workers);
      std::atomic<int> elsewhere{0};
      const auto before = [](int k) {
        std::vector<int> all(static_cast<std::size_t>(k == nodes ? nodes : 0));
        std::iota(all.begin(), all.end(), 0);
        return all;
      };
      graph::run(nodes, graph::nodes{.predecessors = before,
                                     .compute =
                                         [&](int k) {
                                           const bool own =
                                               graph::color_here(graph::places::workers) != caller;
                                           if (k != nodes && own) ++elsewhere;
                                         },
                                     .color = [=](int k) { return k == nodes ? caller : 1 - caller; },
                                     .coloring = {.of = graph::places::workers, .patience = 1e6}});
      EXPECT_EQ(elsewhere, nodes);
    });
  }
}

// Catches: nodes that wait for a worker that is busy as they are found, and that it does not find by itself, as all strands
// of the run are in a long node then.
TEST(graph_color, is_looked_for_by_workers_without_work) {
  sennit::runtime two({.workers = 2});
  for (int run = 0; run < scaled(20); ++run) {
    two.run([&] {
      constexpr int nodes = 20;
      const unsigned here = graph::color_here(graph::places::workers);
      std::atomic<bool> begun{false};
      std::atomic<int> ended{0};
      const auto before = [](int k) {
        std::vector<int> all(static_cast<std::size_t>(k == nodes ? nodes : 0));
        std::iota(all.begin(), all.end(), 0);
        return all;
      };
      const auto compute = [&](int k) {
        if (k == nodes) return;
        if (k != 0) {
          ++ended;
          return;
        }
        begun = true;
        await([&] { return ended == nodes - 1; },
              "nodes of a worker's color to be computed while another is busy");
      };
      join_stolen(
          [&] {
            graph::run(nodes,
                       graph::nodes{.predecessors = before,
                                    .compute = compute,
                                    .color = [=](int k) { return k == 0 || k == nodes ? here : 1 - here; },
                                    .coloring = {.of = graph::places::workers, .patience = 1e6}});
          },
          [&] {
            while (!begun) std::this_thread::yield();
          });
    });
  }
}

// Catches: colors that belong to workers and not to a run: then a run within another one, of other places, takes the other
// one's colors away.
TEST(graph_color, of_a_run_outlasts_runs_within_it) {
  sennit::runtime two({.workers = 2});
  static constexpr int wide = 2;
  static constexpr int deep = 60;
  const auto time_passes = [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  const auto is_at_home = [&] {
    std::atomic<int> at_home{0};
    two.run([&] {
      // Two chains, one for each worker, and a sink.
      const auto before = [](int k) {
        std::vector<int> list;
        if (k == wide * deep) {
          list = {k - 2, k - 1};
        } else if (k >= wide) {
          list = {k - wide};
        }
        return list;
      };
      const auto compute = [&](int k) {
        if (graph::color_here(graph::places::workers) == static_cast<unsigned>(k % wide)) ++at_home;
        graph::run(3,
                   graph::nodes{.predecessors = [](int i) { return std::views::iota(i == 0 ? 0 : i - 1, i); },
                                .compute = [&](int) { time_passes(); },
                                .color = [](int i) { return i; },
                                .coloring = {.of = graph::places::nodes}});
      };
      graph::run(wide * deep, graph::nodes{.predecessors = before,
                                           .compute = compute,
                                           .color = [](int k) { return k % wide; },
                                           .coloring = {.of = graph::places::workers}});
    });
    return at_home >= wide * deep * 9 / 10;
  };
  await(is_at_home, "a run whose nodes are computed where their colors say");
}

// Catches: a patience that has no end, or cannot be compared, and waits for ever.
TEST(graph_color, refuses_a_patience_without_end) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const double patience : {-1.0, 1e7, std::numeric_limits<double>::infinity(), none}) {
    EXPECT_THROW(expect_computed_with([](int) { return 0; }, {.patience = patience}), std::invalid_argument);
  }
  expect_computed_with([](int) { return 0; }, {.patience = 0});
}

// Catches: a patience that looks for work use up: then a worker that has waited once, or has done little, hardly leaves
// others what is theirs.
TEST(graph_color, patience_is_for_as_long_as_items_take) {
  using namespace std::chrono_literals;
  using clock = std::chrono::steady_clock;
  constexpr int nodes = 4;
  constexpr auto item = 1ms;
  sennit::runtime two({.workers = 2});
  two.run([&] {
    std::atomic<bool> over{false};
    const auto run = [&] {
      const unsigned here = graph::color_here(graph::places::workers);
      std::vector<clock::duration> waits;
      auto ended = clock::now();
      // Each step begins after a wait, as all are for the other worker, which is busy.
      const auto step = [&] {
        const auto begun = clock::now();
        waits.push_back(begun - ended);
        do ended = clock::now();
        while (ended - begun < item);
      };
      const auto before = [&](int k) {
        step();
        return k == 0 ? std::views::iota(0, 0) : std::views::iota(k - 1, k);
      };
      graph::run(nodes - 1, graph::nodes{.predecessors = before,
                                         .compute = [&](int) { step(); },
                                         .color = [=](int) { return 1 - here; },
                                         .coloring = {.of = graph::places::workers, .patience = 3}});
      over = true;
      return waits;
    };
    const auto busy = [&] {
      while (!over) std::this_thread::yield();
    };
    std::vector<clock::duration> waits;
    join_stolen([&] { waits = run(); }, busy);
    ASSERT_EQ(waits.size(), 2U * nodes);  // each node is explored, and computed
    // The sink's exploration is what the run begins with.
    for (std::size_t i = 1; i < waits.size(); ++i) EXPECT_GE(waits[i], 3 * item) << i;
  });
}

// Catches: runs with colors of different kinds that end in another order than they began, and leave workers
// with colors.
TEST(graph_color, of_several_runs_at_once) {
  under(settings({2, 4}), [](sennit::runtime& rt) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&rt, t] {
        for (int i = 0; i < 10; ++i) {
          rt.run([&] {
            expect_computed_with([=](int k) { return k % (t + 1); },
                                 {.of = t % 2 == 0 ? graph::places::workers : graph::places::nodes});
          });
        }
      });
    }
    for (std::thread& t : threads) t.join();
    rt.run([] { join_stolen([] {}, [] {}); });
  });
}

}  // namespace
}  // namespace sennit_test
