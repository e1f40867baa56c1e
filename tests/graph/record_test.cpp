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

}  // namespace
}  // namespace sennit_test
