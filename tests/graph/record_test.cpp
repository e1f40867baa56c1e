// SPDX-License-Identifier: Apache-2.0
// Graphs in regions that are recorded or follow a schedule: all workers compute nodes, and replays give each node to the worker
// that computed it.
#include "support.hpp"

#include <sennit/graph_replay.hpp>
#include <sennit/graph_trace.hpp>
#include <sennit/join.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/region.hpp>
#include <sennit/replay.hpp>
#include <sennit/runtime.hpp>
#include <sennit/task_group.hpp>
#include <sennit/worker.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

using sennit::fidelity;
using sennit::schedule;
using testing::HasSubstr;

constexpr fidelity all_fidelities[] = {sennit::relaxed, sennit::strict_unordered, sennit::strict_ordered};

// Nodes in layers: each needs two of the layer before. The nodes of the first layer meet there, if they are to.
class layers {
 public:
  layers(int width, int depth) : width_(width), depth_(depth) {}

  // Of the first layer, so many have to be underway at once.
  void meet(unsigned workers) { awaited_ = workers; }
  long run() {
    arrived_ = 0;
    workers_.assign(static_cast<std::size_t>(width_ * depth_) + 1, 0);
    const auto compute = [this](int k, auto& node) -> long {
      workers_[static_cast<std::size_t>(k)] = sennit::worker_index();
      if (k < width_) wait();
      long sum = k;
      for (const int p : node.predecessors()) sum = (3 * sum + node.value(p)) % 1'000'003;
      return sum;
    };
    return graph::run(sink(),
                      graph::nodes{.predecessors = [this](int k) { return before(k); }, .compute = compute});
  }
  long expected() const {
    std::vector<long> values(static_cast<std::size_t>(sink()) + 1);
    for (int k = 0; k <= sink(); ++k) {
      long sum = k;
      for (const int p : before(k)) sum = (3 * sum + values[static_cast<std::size_t>(p)]) % 1'000'003;
      values[static_cast<std::size_t>(k)] = sum;
    }
    return values.back();
  }
  const std::vector<unsigned>& workers() const { return workers_; }
  std::size_t took_part() const { return std::set<unsigned>(workers_.begin(), workers_.end()).size(); }

 private:
  int sink() const { return width_ * depth_; }
  std::vector<int> before(int k) const {
    std::vector<int> found;
    if (k == sink()) {
      for (int i = 0; i < width_; ++i) found.push_back(sink() - 1 - i);
    } else if (k >= width_) {
      found = {k - width_, (k + 1) % width_ + k / width_ * width_ - width_};
    }
    return found;
  }
  void wait() {
    ++arrived_;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (arrived_ < awaited_ && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  }

  const int width_;
  const int depth_;
  unsigned awaited_ = 0;
  std::atomic<unsigned> arrived_{0};
  std::vector<unsigned> workers_;
};

// Catches: a graph that one worker runs alone while it is recorded; a replay that does not follow; a graph whose record is lost
// in a file.
TEST(graph_record, of_a_graph_alone) {
  for (const unsigned workers : {1U, 2U, 8U}) {
    sennit::runtime rt({.workers = workers});
    rt.run([&] {
      layers some(16, 6);
      some.meet(workers);
      const schedule seen = sennit::record([&] { EXPECT_EQ(some.run(), some.expected()); });
      EXPECT_EQ(some.took_part(), workers);
      EXPECT_THAT(seen.text(), HasSubstr("graph 0 of 97 nodes: "));
      some.meet(0);
      const std::vector<unsigned> as_seen = some.workers();
      const schedule loaded = schedule::from_bytes(seen.to_bytes());
      EXPECT_EQ(loaded, seen);
      for (const fidelity how : all_fidelities) {
        sennit::replay(loaded, how, [&] { EXPECT_EQ(some.run(), some.expected()); });
        if (how != sennit::relaxed) {
          EXPECT_EQ(some.workers(), as_seen);
        }
        const schedule again = sennit::record(loaded, how, [&] { EXPECT_EQ(some.run(), some.expected()); });
        if (how == sennit::strict_ordered) {
          EXPECT_EQ(again.text().substr(again.text().find("graph 0")).substr(0, 30),
                    seen.text().substr(seen.text().find("graph 0")).substr(0, 30));
        }
      }
    });
  }
}

// What forks, loops and a graph in a user's program do, with the workers of each.
class program {
 public:
  void run() {
    branches_ = {};
    long left = 0;
    long right = 0;
    parts_.assign(400, 0);
    sennit::join(
        [&] {
          sennit::parallel_for(0, 400, [&](int i) { parts_[static_cast<std::size_t>(i)] += i; });
          left = first_.run();
          sennit::join([&] { branches_[0] = sennit::worker_index(); },
                       [&] { branches_[1] = sennit::worker_index(); });
        },
        [&] {
          branches_[2] = sennit::worker_index();
          right = second_.run();
          sennit::join([&] { left_of_third_ = third_.run(); },
                       [&] { branches_[3] = sennit::worker_index(); });
        });
    EXPECT_EQ(left, first_.expected());
    EXPECT_EQ(right, second_.expected());
    EXPECT_EQ(left_of_third_, third_.expected());
    for (int i = 0; i < 400; ++i) EXPECT_EQ(parts_[static_cast<std::size_t>(i)], i);
  }
  std::vector<std::vector<unsigned>> workers() const {
    return {first_.workers(), second_.workers(), third_.workers(), {branches_.begin(), branches_.end()}};
  }

 private:
  layers first_{6, 10};
  layers second_{9, 5};
  layers third_{3, 30};
  long left_of_third_ = 0;
  std::vector<int> parts_;
  std::array<unsigned, 4> branches_{};
};

// Catches: positions that differ from run to run; frames around a graph that thieves take against the schedule; an order that
// never comes.
TEST(graph_record, of_graphs_beside_loops_and_joins) {
  for (const unsigned workers : {1U, 2U, 8U}) {
    sennit::runtime rt({.workers = workers});
    rt.run([&] {
      program some;
      for (int round = 0; round < 20; ++round) {
        const schedule seen = sennit::record([&] { some.run(); });
        const auto as_seen = some.workers();
        for (const fidelity how : all_fidelities) {
          sennit::replay(seen, how, [&] { some.run(); });
          if (how != sennit::relaxed) {
            EXPECT_EQ(some.workers(), as_seen) << seen.text();
          }
        }
      }
    });
  }
}

// Nodes that fork, with graphs of their own, and children of a group from outside the graph.
class nested_program {
 public:
  void run() {
    sum_ = 0;
    sennit::task_group around;
    const auto compute = [&](int k) {
      sennit::parallel_for(0, 10, [&](int i) { sum_ += i; });
      if (k % 4 == 0) {
        layers inner(3, 3);
        EXPECT_EQ(inner.run(), inner.expected());
      }
      if (k % 3 == 0) around.spawn([&] { sum_ += 100; });
    };
    graph::run(30, graph::nodes{.predecessors = [](int k) { return k == 30 ? thirty() : std::vector<int>(); },
                                .compute = compute});
    sennit::join([&] { sum_ += 1000; }, [&] { sum_ += 1000; });
    around.wait();
    EXPECT_EQ(sum_, 31 * 45 + 11 * 100 + 2000);
  }

 private:
  static std::vector<int> thirty() {
    std::vector<int> all;
    for (int k = 0; k < 30; ++k) all.push_back(k);
    return all;
  }
  std::atomic<int> sum_{0};
};

// Catches: what nodes fork or spawn being counted as if it were the region's; a child that refers to a region that is gone.
TEST(graph_record, of_nodes_with_graphs_and_children_of_groups) {
  for (const unsigned workers : {1U, 2U, 8U}) {
    sennit::runtime rt({.workers = workers});
    rt.run([&] {
      nested_program some;
      for (int round = 0; round < 10; ++round) {
        const schedule seen = sennit::record([&] { some.run(); });
        for (const fidelity how : all_fidelities) sennit::replay(seen, how, [&] { some.run(); });
      }
    });
  }
}

// Catches: a schedule of more workers that a graph in it cannot follow with fewer, or with more.
TEST(graph_record, is_replayed_by_other_numbers_of_workers) {
  program some;
  const auto recorded = [&](unsigned workers) {
    sennit::runtime rt({.workers = workers});
    return rt.run([&] { return sennit::record([&] { some.run(); }); });
  };
  for (const unsigned workers : {2U, 8U}) {
    const schedule seen = recorded(workers);
    for (const unsigned others : {1U, 3U, 12U}) {
      sennit::runtime rt({.workers = others});
      for (const fidelity how : all_fidelities)
        rt.run([&] { sennit::replay(seen, how, [&] { some.run(); }); });
    }
  }
}

struct textless {
  int k;
  bool operator==(const textless&) const = default;
};
struct hash_of_textless {
  std::size_t operator()(const textless& t) const noexcept { return static_cast<std::size_t>(t.k); }
};

// Catches: a record that is refused, or mixed up, because the texts of keys do not tell nodes apart.
TEST(graph_record, of_keys_without_texts) {
  sennit::runtime rt({.workers = 2});
  rt.run([] {
    std::atomic<int> computed{0};
    const auto run = [&] {
      const auto before = [](const textless& t) {
        return t.k == 0 ? std::vector<textless>() : std::vector<textless>{{t.k - 1}, {t.k / 2}};
      };
      graph::run(textless{20}, graph::nodes{.predecessors = before,
                                            .compute = [&](const textless&) { ++computed; },
                                            .keys = graph::hashed<hash_of_textless>()});
    };
    const schedule seen = sennit::record(run);
    for (const fidelity how : all_fidelities) sennit::replay(seen, how, run);
    EXPECT_EQ(computed, 4 * 21);
    static_cast<void>(sennit::design(run));
    EXPECT_EQ(computed, 5 * 21);
  });
}

#if SENNIT_EXCEPTIONS
// Catches: a region that is left in a state of the graph when a node throws, or when all is cancelled.
TEST(graph_record, of_graphs_that_end_early) {
  sennit::runtime rt({.workers = 2});
  rt.run([] {
    layers some(6, 10);
    schedule good;
    bool throws = false;
    sennit::region around;
    const auto run = [&] {
      EXPECT_EQ(some.run(), some.expected());
      const auto before = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1}; };
      const auto compute = [&](int k) -> int {
        if (k == 3 && throws) throw std::runtime_error("no");
        return k;
      };
      EXPECT_EQ(graph::run(9, graph::nodes{.predecessors = before, .compute = compute}), 9);
      EXPECT_EQ(some.run(), some.expected());
    };
    good = sennit::record(run);
    throws = true;
    EXPECT_THROW(static_cast<void>(sennit::record(run)), graph::node_error);
    for (const fidelity how : all_fidelities) EXPECT_THROW(sennit::replay(good, how, run), graph::node_error);
    throws = false;
    sennit::replay(good, sennit::strict_ordered, run);
    EXPECT_FALSE(around.run([&] {
      static_cast<void>(sennit::record([&] {
        around.cancel();
        some.run();
      }));
    }));
    const auto cycle = [](int k) { return std::vector<int>{(k + 1) % 3}; };
    EXPECT_THROW(static_cast<void>(sennit::record([&] {
                   graph::run(0, graph::nodes{.predecessors = cycle, .compute = [](int) { return 1; }});
                 })),
                 graph::cycle_error<int>);
  });
}
#endif

}  // namespace
}  // namespace sennit_test
