// SPDX-License-Identifier: Apache-2.0
// Graphs that follow a schedule: who computes which node, and in which order, also where graph and schedule differ.
#include "support.hpp"

#include <sennit/graph_replay.hpp>
#include <sennit/graph_trace.hpp>
#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/replay.hpp>
#include <sennit/runtime.hpp>
#include <sennit/worker.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

using graph::trace;
using sennit::fidelity;
using testing::AllOf;
using testing::HasSubstr;

constexpr fidelity all_fidelities[] = {sennit::relaxed, sennit::strict_unordered, sennit::strict_ordered};

void spin(std::chrono::microseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

// Random predecessors among the nodes before, of which the sink has all that nobody else needs.
class random_nodes {
 public:
  random_nodes(unsigned seed, int size) : needs_(static_cast<std::size_t>(size)) {
    std::mt19937 random(seed);
    std::vector<bool> needed(needs_.size());
    for (int k = 1; k < size; ++k) {
      auto& of = needs_[static_cast<std::size_t>(k)];
      for (int i = 0; i < 3; ++i) of.push_back(static_cast<int>(random() % static_cast<unsigned>(k)));
      for (const int p : of) needed[static_cast<std::size_t>(p)] = true;
    }
    for (int k = 0; k + 1 < size; ++k) {
      if (!needed[static_cast<std::size_t>(k)]) needs_.back().push_back(k);
    }
  }
  int sink() const { return static_cast<int>(needs_.size()) - 1; }
  const std::vector<int>& before(int k) const { return needs_[static_cast<std::size_t>(k)]; }
  long expected() const {
    std::vector<long> values(needs_.size());
    for (std::size_t k = 0; k < needs_.size(); ++k) {
      values[k] = 1;
      for (const int p : needs_[k]) values[k] = (values[k] + values[static_cast<std::size_t>(p)]) % 1'000'003;
    }
    return values.back();
  }
  // Traced into `seen`; null: as run().
  long run(trace& seen, const graph::schedule* followed, fidelity how = sennit::relaxed,
           std::chrono::microseconds time = std::chrono::microseconds(0)) const {
    const auto compute = [&](int k, auto& node) -> long {
      spin(time);
      long sum = 1;
      for (const int p : before(k)) sum = (sum + node.value(p)) % 1'000'003;
      return sum;
    };
    const graph::nodes nodes{.predecessors = [this](int k) { return before(k); },
                             .compute = compute,
                             .keys = graph::dense(sink() + 1),
                             .trace = &seen};
    return followed != nullptr ? graph::replay(*followed, how, sink(), nodes) : graph::run(sink(), nodes);
  }

 private:
  std::vector<std::vector<int>> needs_;
};

std::map<std::string, std::uint32_t> workers_of(const trace& t) {
  std::map<std::string, std::uint32_t> all;
  for (const trace::node& n : t.nodes()) all.emplace(n.key, n.worker);
  return all;
}
std::map<std::uint32_t, std::vector<std::string>> orders_of(const trace& t) {
  std::map<std::uint32_t, std::vector<std::string>> all;
  for (const trace::node& n : t.nodes()) all[n.worker].push_back(n.key);
  return all;
}

// Catches: a node on another worker than its own, in another order, twice, or never.
TEST(graph_replay, follows_what_a_run_did) {
  for (const unsigned workers : {1U, 2U, 3U}) {
    sennit::runtime rt({.workers = workers});
    for (unsigned seed = 0; seed < 8; ++seed) {
      const random_nodes some(seed, 60);
      rt.run([&] {
        trace seen;
        ASSERT_EQ(some.run(seen, nullptr, sennit::relaxed, std::chrono::microseconds(20)), some.expected());
        const graph::schedule as_seen(seen);
        EXPECT_EQ(as_seen.size(), 60U);
        for (const fidelity how : all_fidelities) {
          trace again;
          ASSERT_EQ(some.run(again, &as_seen, how), some.expected());
          ASSERT_EQ(again.nodes().size(), 60U);
          if (how != sennit::relaxed) {
            EXPECT_EQ(workers_of(again), workers_of(seen));
          }
          if (how == sennit::strict_ordered) {
            EXPECT_EQ(orders_of(again), orders_of(seen));
          }
        }
      });
    }
  }
}

// Catches: a schedule that is followed only where it is what would have happened anyway.
TEST(graph_replay, follows_a_schedule_that_was_written_by_hand) {
  sennit::runtime rt({.workers = 3});
  const random_nodes some(7, 200);
  for (const fidelity how : {sennit::strict_unordered, sennit::strict_ordered}) {
    graph::schedule by_hand;
    for (int k = 0; k < 200; ++k) by_hand.assign(std::to_string(k), static_cast<std::uint32_t>(k * 7 % 3));
    trace seen;
    rt.run([&] { ASSERT_EQ(some.run(seen, &by_hand, how), some.expected()); });
    for (const trace::node& n : seen.nodes())
      EXPECT_EQ(n.worker, static_cast<std::uint32_t>(std::stoi(n.key) * 7 % 3));
    for (const auto& [worker, order] : orders_of(seen)) {
      EXPECT_TRUE(how != sennit::strict_ordered ||
                  std::ranges::is_sorted(order, {}, [](const auto& key) { return std::stoi(key); }));
    }
  }
}

// Catches: a worker that stays idle although others have more than they can do.
TEST(graph_replay, that_is_relaxed_takes_what_others_are_late_with) {
  sennit::runtime rt({.workers = 2});
  graph::schedule all_on_one;
  for (int k = 0; k < 100; ++k) all_on_one.assign(std::to_string(k), 1);
  trace seen;
  rt.run([&] {
    graph::replay(
        all_on_one, sennit::relaxed, 99,
        graph::nodes{.predecessors =
                         [](int k) {
                           std::vector<int> before;
                           for (int p = 0; k == 99 && p < 99; ++p) before.push_back(p);
                           return before;
                         },
                     .compute = [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); },
                     .trace = &seen});
  });
  const auto on_zero = std::ranges::count(seen.nodes(), 0U, &trace::node::worker);
  EXPECT_GT(on_zero, 20);
  EXPECT_LT(on_zero, 80);
}

// Catches: a run that waits for nodes that never come, or that does not know where to compute others.
TEST(graph_replay, of_a_graph_that_has_changed) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    sennit::runtime rt({.workers = workers});
    for (unsigned seed = 0; seed < 20; ++seed) {
      const random_nodes before(seed, 40);
      const random_nodes after(seed + 1000, seed % 2 == 0 ? 30 : 70);
      rt.run([&] {
        trace seen;
        ASSERT_EQ(before.run(seen, nullptr, sennit::relaxed, std::chrono::microseconds(5)),
                  before.expected());
        const graph::schedule as_seen(seen);
        for (const fidelity how : all_fidelities) {
          trace again;
          ASSERT_EQ(after.run(again, &as_seen, how), after.expected());
          const auto were = workers_of(seen);
          for (const auto& [key, worker] : workers_of(again)) {
            const auto found = were.find(key);
            if (how == sennit::relaxed || found == were.end()) continue;
            EXPECT_EQ(worker, found->second);
          }
        }
      });
    }
  }
}

// Catches: a run that hangs because the order of the schedule is the opposite of what the graph needs.
TEST(graph_replay, gives_up_an_order_that_the_graph_cannot_have) {
  sennit::runtime rt({.workers = 2});
  graph::schedule backward;
  for (int k = 49; k >= 0; --k) backward.assign(std::to_string(k), static_cast<std::uint32_t>(k % 2));
  int computed = 0;
  rt.run([&] {
    graph::replay(
        backward, sennit::strict_ordered, 49,
        graph::nodes{
            .predecessors = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1}; },
            .compute = [&](int k) { EXPECT_EQ(computed++, k); }});
  });
  EXPECT_EQ(computed, 50);
}

TEST(graph_replay, with_fewer_workers_than_the_schedule) {
  graph::schedule of_five;
  for (int k = 0; k < 60; ++k) of_five.assign(std::to_string(k), static_cast<std::uint32_t>(k % 5));
  const random_nodes some(3, 60);
  sennit::runtime rt({.workers = 2});
  trace seen;
  rt.run([&] {
    EXPECT_EQ(some.run(seen, &of_five, sennit::relaxed), some.expected());
    EXPECT_THAT(text_of<std::runtime_error>([&] { some.run(seen, &of_five, sennit::strict_unordered); }),
                AllOf(HasSubstr("has 5 workers"), HasSubstr("has 2"), HasSubstr("relaxed")));
  });
  // Outside any runtime it is the default one's.
  if (sennit::worker_count() >= 5) {
    EXPECT_EQ(some.run(seen, &of_five, sennit::strict_unordered), some.expected());
  }
}

// Catches: nodes that are still computed after one has thrown, or a pool that is left waiting.
TEST(graph_replay, of_nodes_that_throw) {
  sennit::runtime rt({.workers = 2});
  const random_nodes some(5, 80);
  for (const fidelity how : all_fidelities) {
    for (int bad = 0; bad < 80; bad += 11) {
      graph::schedule by_hand;
      for (int k = 0; k < 80; ++k) by_hand.assign(std::to_string(k), static_cast<std::uint32_t>(k % 2));
      std::atomic<int> later{0};
      rt.run([&] {
        EXPECT_THROW(graph::replay(by_hand, how, some.sink(),
                                   graph::nodes{.predecessors = [&](int k) { return some.before(k); },
                                                .compute =
                                                    [&](int k) {
                                                      if (k == bad) throw std::runtime_error("no");
                                                      later += k == some.sink() ? 1 : 0;
                                                    }}),
                     graph::node_error);
      });
      EXPECT_EQ(later, 0);
    }
  }
}

// Catches: nodes that wait within, after which the strand is elsewhere; graphs in graphs; nodes that make others.
TEST(graph_replay, of_nodes_that_fork_and_grow) {
  sennit::runtime rt({.workers = 3});
  for (const fidelity how : all_fidelities) {
    for (int round = 0; round < 20; ++round) {
      graph::schedule by_hand;
      for (int k = 0; k < 64; k += 2) by_hand.assign(std::to_string(k), static_cast<std::uint32_t>(k % 3));
      std::atomic<int> computed{0};
      rt.run([&] {
        graph::replay(by_hand, how, 0,
                      graph::nodes{.predecessors = [](int) { return std::vector<int>(); },
                                   .compute =
                                       [&](int k, auto& node) {
                                         std::atomic<int> forked{0};
                                         sennit::parallel_for(0, 8, [&](int) {
                                           spin(std::chrono::microseconds(3));
                                           ++forked;
                                         });
                                         EXPECT_EQ(forked, 8);
                                         if (k % 9 == 0) {
                                           trace inner;
                                           const random_nodes some(static_cast<unsigned>(k), 10);
                                           EXPECT_EQ(some.run(inner, &by_hand, how), some.expected());
                                         }
                                         if (2 * k + 2 < 64) node.create(2 * k + 2);
                                         if (2 * k + 1 < 64) node.create(2 * k + 1);
                                         ++computed;
                                       }});
      });
      EXPECT_EQ(computed, 64);
    }
  }
}

// Catches: two replays that wait for each other's workers.
TEST(graph_replay, of_several_graphs_at_once) {
  sennit::runtime rt({.workers = 2});
  const random_nodes some(11, 100);
  graph::schedule by_hand;
  for (int k = 0; k < 100; ++k) by_hand.assign(std::to_string(k), static_cast<std::uint32_t>(k * 5 % 7 % 2));
  std::vector<std::thread> threads;
  for (const fidelity how : all_fidelities) {
    threads.emplace_back([&, how] {
      for (int round = 0; round < 20; ++round) {
        trace seen;
        rt.run([&] { EXPECT_EQ(some.run(seen, &by_hand, how), some.expected()); });
      }
    });
  }
  for (std::thread& t : threads) t.join();
}

// Catches: a record of a replay that says what the graph would do without its schedule.
TEST(graph_replay, in_a_recorded_region) {
  const random_nodes some(2, 50);
  sennit::runtime rt({.workers = 2});
  rt.run([&] {
    trace seen;
    some.run(seen, nullptr);
    const graph::schedule as_seen(seen);
    trace again;
    const sennit::schedule recorded = sennit::record(
        [&] { EXPECT_EQ(some.run(again, &as_seen, sennit::strict_ordered), some.expected()); });
    EXPECT_EQ(workers_of(again), workers_of(seen));
    trace third;
    sennit::replay(recorded, sennit::strict_ordered,
                   [&] { EXPECT_EQ(some.run(third, nullptr), some.expected()); });
    EXPECT_EQ(workers_of(third), workers_of(seen));
  });
}

TEST(graph_replay, of_a_saved_trace) {
  const random_nodes some(4, 50);
  trace seen;
  some.run(seen, nullptr);
  const graph::schedule loaded(trace::from_bytes(seen.to_bytes()));
  trace again;
  EXPECT_EQ(some.run(again, &loaded, sennit::relaxed), some.expected());
}

TEST(graph_replay, refuses_keys_that_have_one_text) {
  graph::schedule s;
  s.assign("a", 0);
  EXPECT_THAT(text_of<std::invalid_argument>([&] { s.assign("a", 1); }),
              HasSubstr("two nodes have the key 'a'"));
  EXPECT_EQ(s.nodes_of(0), 1U);
  EXPECT_FALSE(s.find("b"));
}

// Catches: a schedule that has one more worker although assign() threw.
TEST(graph_replay, schedules_are_unchanged_where_assign_throws) {
  graph::schedule s;
  s.assign("a", 0);
  EXPECT_THROW(s.assign("a", 7), std::invalid_argument);
  EXPECT_EQ(s.workers(), 1U);
  s.assign("b", 2);
  EXPECT_EQ(s.workers(), 3U);
}

}  // namespace
}  // namespace sennit_test
